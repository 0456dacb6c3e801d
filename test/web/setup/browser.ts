/** One Chromium for the tests of a file. */
import type { TestContext } from 'node:test';
import { type BrowserContext, chromium } from 'playwright-core';
import { findChromium, startChromium } from '../../../testbed/servers/chromium-program.ts';

/** Returns null, and skips the test, if there is no Chromium. */
export async function openBrowser(t: TestContext): Promise<BrowserContext | null> {
  const program = await findChromium();
  if (program === undefined) {
    t.skip('Chromium is not installed: apt-get install chromium');
    return null;
  }
  const { endpoint, close } = await startChromium(program, ['--disable-quic']);
  const browser = await chromium.connectOverCDP(endpoint);
  t.after(async () => {
    await browser.close();
    await close();
  });
  return browser.contexts()[0]!;
}
