/**
 * A real Chromium that shows the live view of a copy. Out: the times at which the figures on the screen changed, and how
 * old the report of the run was then.
 */

import { type Browser, chromium, type Page } from 'playwright-core';
import { needChromium, startChromium } from '../../testbed/servers/chromium-program.ts';
import type { ServeProcess } from './serve-process.ts';

/** Runs in the page. A refresh is a frame in which figures changed. */
const OBSERVER = `(() => {
  window.refreshes = [];
  let reportedAt = 0;
  const parse = JSON.parse;
  JSON.parse = (text, reviver) => {
    const value = parse(text, reviver);
    const at = value && value.run && value.run.updatedAt;
    if (at) reportedAt = Date.parse(at);
    return value;
  };
  let waiting = false;
  new MutationObserver((changes) => {
    if (waiting || !changes.some(({ target }) => (target.parentElement ?? target).closest?.('.figures'))) return;
    waiting = true;
    // The second frame begins after the first one was painted.
    requestAnimationFrame(() => requestAnimationFrame(() => {
      waiting = false;
      window.refreshes.push([performance.now(), Date.now() - reportedAt]);
    }));
  }).observe(document, { subtree: true, childList: true, characterData: true });
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
    await page.goto(`${serve.origin}/${copy}#token=${serve.token}`);
    return new WatchedView(browser, page, running.close);
  }

  /** Waits until the figures have changed on the screen this often. */
  async waitFor(refreshes: number): Promise<void> {
    await this.#page.waitForFunction(`window.refreshes.length >= ${refreshes}`, null, { timeout: 60_000 });
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
 * The responsiveness of C1: two refreshes are expected in each second, and a second with more or fewer is a lag or a
 * freeze. The seconds begin a quarter of a second before the first refresh, in the middle between two expected ones.
 */
export function responsiveness(refreshes: readonly Refresh[]): { readonly share: number; readonly seconds: number } {
  const startMs = refreshes[0]!.atMs - 250;
  const seconds = Math.floor((refreshes.at(-1)!.atMs - startMs) / 1_000);
  const counts = new Array<number>(seconds).fill(0);
  for (const { atMs } of refreshes) {
    const second = Math.floor((atMs - startMs) / 1_000);
    if (second < seconds) counts[second]!++;
  }
  const matches = counts.reduce((sum, count) => sum + Math.max(0, 2 - Math.abs(count - 2)), 0);
  return { share: matches / (2 * seconds), seconds };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
