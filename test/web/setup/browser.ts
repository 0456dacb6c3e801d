/** One Chromium for the tests of a file. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type BrowserContext, chromium } from 'playwright-core';
import { chromiumPath, spawnChromium } from '../../../testbed/browser/chromium-program.ts';

/** Returns null, and skips the test, if there is no Chromium. */
export async function openBrowser(t: TestContext): Promise<BrowserContext | null> {
  const program = chromiumPath();
  if (program === undefined) {
    t.skip('Chromium is not installed: apt-get install chromium');
    return null;
  }
  const folder = await mkdtemp(join(tmpdir(), 'orbweaver-web-'));
  const { child, endpoint } = await spawnChromium(program, folder, ['--disable-quic']);
  const browser = await chromium.connectOverCDP(endpoint);
  t.after(async () => {
    await browser.close();
    const ended = once(child, 'exit');
    child.kill();
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return browser.contexts()[0]!;
}
