/** One Chromium for the tests of a file, with a real profile of its own. */
import type { TestContext } from 'node:test';
import { type BrowserContext, chromium } from 'playwright-core';
import { chromiumHome, findChromium } from '../../../testbed/servers/chromium-program.ts';

/** Chromium asks nobody for anything but what the tests load. */
const ARGUMENTS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Returns null, and skips the test, if there is no Chromium. */
export async function openBrowser(t: TestContext): Promise<BrowserContext | null> {
  const found = await findChromium();
  if (found === undefined) {
    t.skip('Chromium is not installed: apt-get install chromium');
    return null;
  }
  const home = await chromiumHome(found);
  const browser = await chromium.launchPersistentContext(home.profile, {
    executablePath: home.program,
    args: ARGUMENTS,
    chromiumSandbox: true,
  });
  t.after(async () => {
    await browser.close();
    await home.remove();
  });
  return browser;
}
