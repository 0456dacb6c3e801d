/** Every proof by name. A proof is loaded only when it runs. */
import type { Proof } from './proof.ts';

export const PROOFS: Readonly<Record<string, () => Promise<Proof>>> = {
  budgets: async () => (await import('./budgets.ts')).proof,
  faults: async () => (await import('./faults.ts')).proof,
  followers: async () => (await import('./followers.ts')).proof,
  kills: async () => (await import('./kills.ts')).proof,
  mutations: async () => (await import('./mutations.ts')).proof,
  'private-addresses': async () => (await import('./private-addresses.ts')).proof,
  reading: async () => (await import('./reading.ts')).proof,
  replies: async () => (await import('./replies.ts')).proof,
  robots: async () => (await import('./robots.ts')).robots,
  'watcher-visitors': async () => (await import('./watcher-visitors.ts')).proof,
  verify: async () => (await import('./verify.ts')).proof,
  replay: async () => (await import('./replay.ts')).proof,
  stemmers: async () => (await import('./stemmers.ts')).proof,
  interface: async () => (await import('./interface.ts')).proof,
  mirror: async () => (await import('./mirror.ts')).proof,
  recover: async () => (await import('./recover.ts')).proof,
  'hostile-pages': async () => (await import('./hostile-pages.ts')).proof,
  patterns: async () => (await import('./patterns.ts')).proof,
  queries: async () => (await import('./queries.ts')).proof,
};
