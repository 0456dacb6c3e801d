/** Writes the events of all stages, from every thread of a process, to the file that STAGE_EVENTS names. */
import diagnostics from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { STAGE_END, STAGE_START } from '../../src/core/stage-events.ts';

const file = process.env.STAGE_EVENTS!;
for (const [name, phase] of [
  [STAGE_START, 'start'],
  [STAGE_END, 'end'],
] as const) {
  diagnostics.subscribe(name, (event) => appendFileSync(file, `${JSON.stringify({ phase, ...(event as object) })}\n`));
}
