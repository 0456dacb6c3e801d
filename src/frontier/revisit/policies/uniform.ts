import type { Policy } from '../policy.ts';

/** Every page as often as every other (W19): the longest wait first. */
export const uniform: Policy = { name: 'uniform', value: ({ elapsedMs }) => elapsedMs };
