/**
 * A worker thread that visits hostile pages as a crawler unit does, with the limits of a unit. It parses the page,
 * learns its template, sketches its own text and judges its links. Then it compares another version of the page with
 * the first one. In: the numbers of mutations. Out: the CPU time of both visits.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { DEFAULT_NOISE_RULES } from '../../src/change/noise/noise-rules.ts';
import { sketchOwnText } from '../../src/content/own-text.ts';
import { Template } from '../../src/content/template/template.ts';
import { CpuBudget } from '../../src/core/cpu-budget.ts';
import { resolveOptions } from '../../src/core/options/options.ts';
import { LinkJudge } from '../../src/crawl/links/link-judge.ts';
import { describeChange } from '../../src/crawl/unit/change/classify-change.ts';
import { versionOf } from '../../src/crawl/unit/change/version-of.ts';
import { parsePage, WordCollector } from '../../src/page/page.ts';
import { mutate } from './mutate.ts';

export interface UnitLook {
  readonly number: number;
  readonly name: string;
  readonly firstMs: number;
  readonly againMs: number;
  /** The CPU budget ran out, so the change is not described. */
  readonly isCut: boolean;
}

const URL = 'http://hostile.example/page';
const options = resolveOptions([]);
const { from, to, bytes } = workerData as { from: number; to: number; bytes: number };
const words = new WordCollector();
const template = new Template();

for (let number = from; number < to; number++) {
  const body = mutate(number, bytes);
  const [before, after] = [body.build(1), body.build(2)];
  const firstMs = cpuMsOf(() => read(before, body.type));
  let isCut = false;
  const againMs = cpuMsOf(() => {
    const budget = new CpuBudget();
    const was = budget.run(() => versionOf(before, body.type, URL));
    const is = budget.run(() => versionOf(after, body.type, URL));
    isCut = describeChange(was, is, is.isPage ? DEFAULT_NOISE_RULES : undefined, budget).isCut === true;
    read(after, body.type);
  });
  parentPort!.postMessage({ number, name: body.name, firstMs, againMs, isCut } satisfies UnitLook);
}

function read(body: Buffer, type: string): void {
  const page = parsePage(body, type, URL, { wantText: false, wantAnchors: false, maxLinks: options.maxLinks, words });
  if (words.count > 0) sketchOwnText(words, template.learn(URL, words).marks);
  new LinkJudge(options, [URL]).linksOf(page, URL, 0);
}

function cpuMsOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
