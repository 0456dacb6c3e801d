/**
 * Assembles the kernels: `node build/assemble-kernels.ts`. In: every `*.wat` file (WebAssembly as text) in `src`. Out:
 * beside it a module with its bytes, which is committed, because Orbweaver runs from its sources. A test checks that
 * the bytes are those of the text.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import loadWabt from 'wabt';

const ROOT = join(import.meta.dirname, '..');
const LINE_CHARS = 110;

export interface Kernel {
  readonly source: string;
  readonly target: string;
}

export function listKernels(): Kernel[] {
  const sources = globSync('src/**/*.wat', { cwd: ROOT }).sort();
  return sources.map((source) => ({
    source: join(ROOT, source),
    target: join(ROOT, source.replace(/\.wat$/, '.wasm.ts')),
  }));
}

/** The text of the module that contains the bytes of a kernel. */
export async function assembleKernel({ source }: Kernel): Promise<string> {
  const wabt = await loadWabt();
  const name = source.slice(source.lastIndexOf('/') + 1);
  const parsed = wabt.parseWat(name, readFileSync(source, 'utf8'), { simd: true, bulk_memory: true });
  parsed.validate();
  const base64 = Buffer.from(parsed.toBinary({}).buffer).toString('base64');
  parsed.destroy();
  const lines = base64.match(new RegExp(`.{1,${LINE_CHARS}}`, 'g')) ?? [];
  const words = lines.map((line) => `  '${line}'`).join(' +\n');
  return `/** Generated from ${name} by build/assemble-kernels.ts. */\nexport const KERNEL =\n${words};\n`;
}

if (import.meta.main) {
  for (const kernel of listKernels()) writeFileSync(kernel.target, await assembleKernel(kernel));
}
