/**
 * The thread in which reading tools run, one after the other. It can be ended at any time, so a page that takes too
 * long neither delays other messages nor survives its time limit. The copy is opened for each call: it may change, be
 * replaced or get an index while it is served.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { ERROR_CODES, OrbweaverError } from '../../core/errors.ts';
import type { CrawlPlace } from '../../crawl/place/crawl-place.ts';
import { withStoreAt } from '../../crawl/place/open-store.ts';
import { type ToolResult, toFailure, toResult } from '../answer.ts';
import { ArgumentError, readArguments } from '../tools/arguments.ts';
import { READING_TOOLS } from '../tools/reading-tools.ts';
import { ToolRefusal } from '../tools/tool.ts';

export interface ToolCall {
  readonly name: string;
  readonly given: unknown;
}

export interface ToolReply {
  readonly result: ToolResult;
  /** For the log: what the model is not told, because it may quote the web or name paths. */
  readonly detail: string | null;
}

const place = workerData as CrawlPlace;

parentPort!.on('message', async (call: ToolCall) => {
  parentPort!.postMessage(await answer(call));
});

async function answer({ name, given }: ToolCall): Promise<ToolReply> {
  try {
    const tool = READING_TOOLS.find((each) => each.name === name)!;
    const args = readArguments(tool.table, given);
    return { result: toResult(await withStoreAt(place, (store) => tool.run({ store, place }, args))), detail: null };
  } catch (error) {
    return failureOf(error);
  }
}

/** Only fixed sentences reach the model. */
function failureOf(error: unknown): ToolReply {
  if (error instanceof ArgumentError) return { result: toFailure('ERR_BAD_OPTION', error.message), detail: null };
  if (error instanceof ToolRefusal) return { result: toFailure(error.code, error.message), detail: null };
  const code = error instanceof OrbweaverError ? error.code : 'ERR_INTERNAL';
  const sentence = `This cannot be answered: ${ERROR_CODES[code][1]}.`;
  const detail = error instanceof OrbweaverError ? error.message : String((error as Error).stack);
  return { result: toFailure(code, sentence), detail: `${code}: ${detail}` };
}
