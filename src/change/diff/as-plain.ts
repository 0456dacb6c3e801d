/** Hunks as plain text, `[-removed-]{+added+}`: for files, pipes and terminals without colours. */
import type { DiffHunk } from './hunks.ts';
import { markedLines } from './marked-lines.ts';

export function asPlain(hunks: readonly DiffHunk[]): string {
  return markedLines(hunks, { removed: ['[-', '-]'], added: ['{+', '+}'], place: ['@@ ', ' @@'] });
}
