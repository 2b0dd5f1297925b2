// CRC-32C (Castagnoli), as record files guard their lengths and contents, with the masking they add so that a checksum of checksums stays sound.

const reversedPolynomial = 0x82f63b78;
const maskDelta = 0xa282ead8;

const table: Uint32Array = Uint32Array.from({ length: 256 }, (_unused, index) => {
  let remainder = index;
  for (let bit = 0; bit < 8; bit++) {
    remainder = (remainder & 1) === 1 ? (remainder >>> 1) ^ reversedPolynomial : remainder >>> 1;
  }
  return remainder;
});

export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  // The index is a byte, so it is always in the table.
  for (const byte of bytes) crc = table[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

export function maskedCrc32c(bytes: Uint8Array): number {
  const crc = crc32c(bytes);
  return (((crc >>> 15) | (crc << 17)) + maskDelta) >>> 0;
}
