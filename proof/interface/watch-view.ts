/**
 * A real Chromium that shows the live view of a copy. Out: the times at which the figures on the screen changed, and how
 * old the report of the run was then.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { needChromium, startChromium } from '../../testbed/servers/chromium-program.ts';
import type { ServeProcess } from './serve-process.ts';

const PATIENCE_MS = 120_000;
const POLL_MS = 100;

/**
 * Runs in the page. A refresh is the frame that is painted after a report of the run has arrived, also if its figures
 * are those of the report before: after the last page, only the index works.
 */
const OBSERVER = `(() => {
  window.refreshes = [];
  const parse = JSON.parse;
  JSON.parse = (text, reviver) => {
    const value = parse(text, reviver);
    const at = value && value.state && value.run && value.run.updatedAt;
    // The second frame begins after the first one was painted.
    if (at) requestAnimationFrame(() => requestAnimationFrame(() => {
      window.refreshes.push([performance.now(), Date.now() - Date.parse(at)]);
    }));
    return value;
  };
})()`;

export interface Refresh {
  readonly atMs: number;
  readonly ageMs: number;
}

export class WatchedView {
  readonly #browser: Browser;
  readonly #page: Page;
  readonly #close: () => Promise<void>;

  private constructor(browser: Browser, page: Page, close: () => Promise<void>) {
    this.#browser = browser;
    this.#page = page;
    this.#close = close;
  }

  static async open(serve: ServeProcess, copy: string, report: (line: string) => void): Promise<WatchedView> {
    const running = await startChromium(await needChromium(report));
    const browser = await chromium.connectOverCDP(running.endpoint);
    const page = await browser.contexts()[0]!.newPage();
    await page.addInitScript(OBSERVER);
    await page.goto(`${serve.origin}/c/${copy}#token=${serve.token}`);
    return new WatchedView(browser, page, running.close);
  }

  /** Waits until the figures have changed on the screen this often. */
  async waitFor(refreshes: number): Promise<void> {
    const endMs = performance.now() + PATIENCE_MS;
    while ((await this.refreshes()).length < refreshes) {
      if (performance.now() > endMs) throw new Error('the live view shows no figures that change');
      await sleep(POLL_MS);
    }
  }

  async refreshes(): Promise<Refresh[]> {
    const pairs = (await this.#page.evaluate('window.refreshes')) as [number, number][];
    return pairs.map(([atMs, ageMs]) => ({ atMs, ageMs }));
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#close();
  }
}

/**
 * The responsiveness of C1 over several runs: two refreshes are expected in each second, and a second with more or fewer
 * is a lag or a freeze. The seconds of a run begin a quarter of a second before its first refresh, in the middle between
 * two expected ones. Pauses between runs do not count.
 */
export function responsiveness(runs: readonly (readonly Refresh[])[]): {
  readonly share: number;
  readonly seconds: number;
} {
  const counts = runs.flatMap(countsOf);
  const matches = counts.reduce((sum, count) => sum + Math.max(0, 2 - Math.abs(count - 2)), 0);
  return { share: matches / (2 * counts.length), seconds: counts.length };
}

/** The number of refreshes in each whole second of a run. */
function countsOf(refreshes: readonly Refresh[]): number[] {
  const startMs = refreshes[0]!.atMs - 250;
  const seconds = Math.floor((refreshes.at(-1)!.atMs - startMs) / 1_000);
  const counts = new Array<number>(seconds).fill(0);
  for (const { atMs } of refreshes) {
    const second = Math.floor((atMs - startMs) / 1_000);
    if (second < seconds) counts[second]!++;
  }
  return counts;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
