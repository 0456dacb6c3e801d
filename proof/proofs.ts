/** Every proof by name. A proof is loaded only when it runs. */
import type { Proof } from './proof.ts';

export const PROOFS: Readonly<Record<string, () => Promise<Proof>>> = {
  faults: async () => (await import('./faults.ts')).proof,
  'hostile-pages': async () => (await import('./hostile-pages.ts')).proof,
  patterns: async () => (await import('./patterns.ts')).proof,
};
