// The part of WebAssembly that the kernels use, typed: its types come with the browser's, which this package does not have.

export interface LinearMemory {
  readonly buffer: SharedArrayBuffer;
  /** By so many pages of 64 KiB; throws where there is no room. */
  grow(pages: number): number;
}
export interface CompiledModule {
  readonly [Symbol.toStringTag]: string;
}
interface WebAssemblyHost {
  readonly Memory: new (limits: {
    readonly initial: number;
    readonly maximum: number;
    readonly shared: true;
  }) => LinearMemory;
  readonly Module: new (bytes: Uint8Array) => CompiledModule;
  readonly Instance: new (
    module: CompiledModule,
    imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ) => { readonly exports: unknown };
}

export const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssemblyHost }).WebAssembly;
