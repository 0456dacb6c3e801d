/**
 * Kernels are small programs in WebAssembly for loops over every byte or word of a page. Their text is beside the code
 * that uses them (`*.wat`), and build/assemble-kernels.ts makes their bytes from it.
 */

/** The part of the global object `WebAssembly` that is used. The types of Node do not declare it. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }).WebAssembly;

/** A position in the memory of a kernel. */
export interface Position {
  readonly value: number;
}

/** Every kernel exports its memory. */
export interface KernelExports {
  readonly memory: { readonly buffer: ArrayBuffer };
}

/**
 * Returns a function that starts the kernel with a memory of its own. It is compiled at its first start. In: the bytes
 * of the kernel as base64.
 */
export function loadKernel<Exports extends KernelExports>(base64: string): () => Exports {
  let module: object | undefined;
  return () => {
    module ??= new Module(Buffer.from(base64, 'base64'));
    return new Instance(module).exports as Exports;
  };
}
