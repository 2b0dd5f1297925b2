// The element types of safetensors and what the header says about a tensor.
// The order is the format's own: by growing alignment. Files are written with the largest first, so that every tensor is aligned.

const bytesPerElement = {
  BOOL: 1,
  U8: 1,
  I8: 1,
  F8_E5M2: 1,
  F8_E4M3: 1,
  F8_E8M0: 1,
  F8_E4M3FNUZ: 1,
  F8_E5M2FNUZ: 1,
  I16: 2,
  U16: 2,
  F16: 2,
  BF16: 2,
  I32: 4,
  U32: 4,
  F32: 4,
  C64: 8,
  F64: 8,
  I64: 8,
  U64: 8,
} as const;

export type Dtype = keyof typeof bytesPerElement;
/** The types that convert from and to float32. */
export type FloatDtype = "F16" | "BF16" | "F32" | "F64";

export const dtypes: readonly Dtype[] = Object.keys(bytesPerElement) as Dtype[];
export const floatDtypes: readonly FloatDtype[] = ["F16", "BF16", "F32", "F64"];

/** A tensor without its bytes. */
export interface TensorInfo {
  readonly name: string;
  readonly dtype: Dtype;
  /** Row-major; empty for a scalar. */
  readonly shape: readonly number[];
  readonly byteLength: number;
}

export function isDtype(name: string): name is Dtype {
  return Object.hasOwn(bytesPerElement, name);
}

export function isFloat(dtype: Dtype): dtype is FloatDtype {
  return (floatDtypes as readonly string[]).includes(dtype);
}

export function elementBytes(dtype: Dtype): number {
  return bytesPerElement[dtype];
}

/** As many as any tensor library takes; a header cannot ask for more. */
export const mostDimensions = 64;

/** Undefined when the shape is not one, or its size is beyond what a number counts exactly. */
export function byteLengthOf(dtype: Dtype, shape: readonly number[]): number | undefined {
  if (shape.length > mostDimensions) return undefined;
  let size: number = bytesPerElement[dtype];
  for (const length of shape) {
    size *= length;
    if (!Number.isSafeInteger(length) || length < 0 || !Number.isSafeInteger(size)) return undefined;
  }
  return size;
}

const ranks: ReadonlyMap<Dtype, number> = new Map(dtypes.map((dtype, rank) => [dtype, rank]));

/** The order of tensors in a file: the largest alignment first, then by the bytes of the name. */
export function compareTensors(left: TensorInfo, right: TensorInfo): number {
  const byDtype = (ranks.get(right.dtype) ?? 0) - (ranks.get(left.dtype) ?? 0);
  // UTF-16 order, which `<` compares by, differs from byte order beyond the basic plane.
  return byDtype === 0 ? Buffer.compare(Buffer.from(left.name), Buffer.from(right.name)) : byDtype;
}
