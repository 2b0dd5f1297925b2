// 16-bit floats. Widening is exact for every bit pattern, NaN payloads included; narrowing rounds to nearest, ties to even.
// Everything is done on bits: passing a signalling NaN through a float register may change it. Hosts are little-endian, as the files are.

/** bfloat16 is the upper half of a float32. */
export function widenBfloat16(source: Uint16Array, target: Float32Array): void {
  const bits = bitsOf(target);
  for (let index = 0; index < source.length; index++) bits[index] = (source[index] as number) << 16;
}

export function narrowBfloat16(source: Float32Array, target: Uint16Array): void {
  const bits = bitsOf(source);
  for (let index = 0; index < source.length; index++) {
    const value = bits[index] as number;
    if ((value & 0x7fff_ffff) > 0x7f80_0000) {
      // A NaN whose payload is in the lower half only must not become an infinity.
      target[index] = (value & 0x007f_0000) === 0 ? (value >>> 16) | 0x40 : value >>> 16;
    } else {
      // Half of the last kept place, less one when that place is even: a tie carries only out of an odd place.
      target[index] = (value + 0x7fff + ((value >>> 16) & 1)) >>> 16;
    }
  }
}

export function widenFloat16(source: Uint16Array, target: Float32Array): void {
  const bits = bitsOf(target);
  for (let index = 0; index < source.length; index++) {
    const half = source[index] as number;
    const sign = (half & 0x8000) << 16;
    const rest = half & 0x7fff;
    if (rest >= 0x7c00) {
      bits[index] = sign | 0x7f80_0000 | ((rest & 0x3ff) << 13);
    } else if (rest >= 0x400) {
      // The exponent bias grows from 15 to 127.
      bits[index] = sign | ((rest << 13) + (112 << 23));
    } else {
      // Subnormal: a multiple of 2^-24, exact as a normal float32.
      target[index] = rest * 2 ** -24;
      bits[index] = (bits[index] as number) | sign;
    }
  }
}

export function narrowFloat16(source: Float32Array, target: Uint16Array): void {
  const bits = bitsOf(source);
  for (let index = 0; index < source.length; index++) {
    const value = bits[index] as number;
    const sign = (value >>> 16) & 0x8000;
    const rest = value & 0x7fff_ffff;
    if (rest > 0x7f80_0000) {
      target[index] = sign | 0x7c00 | ((rest >>> 13) & 0x3ff || 0x200);
    } else if (rest >= 0x4780_0000) {
      // 65,536 and beyond. What rounds up to it from below carries into the same bits by itself.
      target[index] = sign | 0x7c00;
    } else if (rest >= 0x3880_0000) {
      target[index] = sign | ((rest - (112 << 23) + 0xfff + ((rest >>> 13) & 1)) >>> 13);
    } else {
      // Below 2^-14: whole multiples of 2^-24. The product is exact in float64, and adding 2^52 rounds it to an integer, ties to even.
      target[index] = sign | (Math.abs(source[index] as number) * 2 ** 24 + 2 ** 52 - 2 ** 52);
    }
  }
}

function bitsOf(values: Float32Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length);
}
