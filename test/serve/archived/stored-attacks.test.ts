/**
 * Stored attacks in a real Chromium: nothing of an archived page runs, asks another host, reads storage or navigates the
 * page around it. The same attacks as their site sent them are the control.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContext, ConsoleMessage, Page } from 'playwright-core';
import {
  ATTACKED_SITE,
  STORED_ATTACKS,
  type StoredAttack,
  urlOfAttack,
} from '../../../testbed/attacks/stored-attacks.ts';
import { findChromium } from '../../../testbed/servers/chromium-program.ts';
import { STORED_AT_MS, storeResponses } from './attacked-copy.ts';
import { AttackedServer } from './attacked-server.ts';

const program = await findChromium();
const skip = program === undefined ? 'Chromium is not installed' : false;
const FRAMES_PER_PAGE = 25;
const TABS = 4;

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SHOWN = [
  ['/shown', 'text/html', '<link rel=stylesheet href=s.css><p>text</p><img src=i.png><iframe src=inner></iframe>'],
  ['/s.css', 'text/css', 'p{color:rgb(1,2,3);font-family:F}@font-face{font-family:F;src:url(f.woff2)}'],
  ['/i.png', 'image/png', Buffer.from(PIXEL, 'base64')],
  ['/f.woff2', 'font/woff2', 'no font'],
  ['/inner', 'text/html', 'the frame'],
].map(([path, contentType, body]) => ({
  ...{ url: `${ATTACKED_SITE}${path}`, contentType: String(contentType) },
  body: Buffer.from(body as string),
}));

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-attacks-'));
let server: AttackedServer;
let browser: Browser;
let close: () => Promise<void> = async () => {};

before(async () => {
  if (skip) return;
  const responses = STORED_ATTACKS.map((attack) => ({ ...attack, url: urlOfAttack(attack) }));
  await storeResponses(folder, [...responses, ...SHOWN]);
  server = await AttackedServer.start(folder);
  ({ browser, close } = await server.openBrowser(program!));
});

after(async () => {
  await close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Seen {
  readonly ran: string[];
}

/** The usual profile: in a private window, Chromium does not connect in advance. */
function watched(): { context: BrowserContext; seen: Seen; stop: () => void } {
  const seen: Seen = { ran: [] };
  const context = browser.contexts()[0]!;
  const listener = (message: ConsoleMessage) => {
    if (/^(?:ran|storage):/.test(message.text())) seen.ran.push(message.text());
  };
  context.on('console', listener);
  return { context, seen, stop: () => context.off('console', listener) };
}

/** Opens each path in one of some tabs, and returns where the tab was then. */
async function openAll<T>(context: BrowserContext, items: readonly T[], open: (page: Page, item: T) => Promise<void>) {
  const waiting = [...items];
  const work = async () => {
    const page = await context.newPage();
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await open(page, item);
    await page.close();
  };
  await Promise.all(Array.from({ length: TABS }, work));
}

test('the control: stored attacks run as their site sent them', { skip }, async () => {
  const { context, seen, stop } = watched();
  const before = server.outsideConnections;
  const names = ['script-0', 'handler-0', 'svg-0', 'mutation-2', 'charset-utf16', 'xhtml-0'];
  await openAll(context, names, async (page, name) => {
    const asked = page.waitForRequest(/outside\.test/);
    await page.goto(`${server.origin}/raw/${name}`, { waitUntil: 'commit' }).catch(() => {});
    await asked;
  });
  stop();
  for (const name of names) assert.ok(seen.ran.includes(`ran:${name}`), name);
  assert.ok(server.outsideConnections > before, 'the host outside was asked');
});

test('an archived page of its own runs nothing, asks nobody, and stays where it is', { skip }, async () => {
  const { context, seen, stop } = watched();
  const before = server.outsideConnections;
  const strayed: string[] = [];
  await openAll(context, STORED_ATTACKS.filter(isOpenedAlone), async (page, attack) => {
    const path = server.pathOf(urlOfAttack(attack), STORED_AT_MS);
    await page.goto(server.origin + path).catch(noteDownload);
    if (wantsClick(attack)) await click(page);
    if (!/^http:\/\/127\.0\.0\.1:\d+\/archived\/|^about:blank$/.test(page.url()))
      strayed.push(`${attack.name}: ${page.url()}`);
  });
  stop();
  assert.deepEqual(seen.ran, []);
  assert.deepEqual(strayed, []);
  assert.equal(server.outsideConnections - before, 0, 'no connection to another host');
  assert.deepEqual(
    server.others.filter((path) => path !== '/favicon.ico'),
    [],
  );
});

test('archived pages in frames cannot reach the page around them', { skip }, async () => {
  const { context, seen, stop } = watched();
  const before = server.outsideConnections;
  const paths = STORED_ATTACKS.map((attack) => server.pathOf(urlOfAttack(attack), STORED_AT_MS));
  const groups: string[][] = [];
  while (paths.length > 0) groups.push(paths.splice(0, FRAMES_PER_PAGE));
  const shown: number[] = [];
  await openAll(context, groups, async (page, group) => {
    await page.goto(`${server.origin}/frame?${group.join(',')}`);
    shown.push(page.frames().filter((frame) => frame.url().includes('/archived/')).length);
    assert.match(page.url(), /\/frame\?/);
    assert.equal(await page.title(), 'frames');
  });
  stop();
  assert.ok(shown.reduce((sum, count) => sum + count) > STORED_ATTACKS.length / 2, 'the frames show archived pages');
  assert.deepEqual(seen.ran, []);
  assert.equal(server.outsideConnections - before, 0, 'no connection to another host');
});

test('an archived page is shown with its own style sheet, pictures, fonts and frames', { skip }, async () => {
  const page = await browser.contexts()[0]!.newPage();
  const asked: string[] = [];
  page.on('requestfinished', (request) => asked.push(request.resourceType()));
  await page.goto(`${server.origin}/frame?${server.pathOf(SHOWN[0]!.url, STORED_AT_MS)}`);
  const [, outer, inner] = page.frames();
  assert.equal(await outer!.evaluate("getComputedStyle(document.querySelector('p')).color"), 'rgb(1, 2, 3)');
  assert.equal(await outer!.evaluate('document.images[0].naturalWidth'), 1);
  assert.equal(await inner!.evaluate('document.body.textContent'), 'the frame');
  await page.close();
  for (const kind of ['stylesheet', 'image', 'font']) assert.ok(asked.includes(kind), `${kind} of ${asked}`);
});

/** A page without a frame around it is opened slowly. Frames have all attacks, `npm run proof -- interface` both. */
function isOpenedAlone(attack: StoredAttack, i: number): boolean {
  return wantsClick(attack) || i % 12 === 0 || process.env.ATTACKS === 'all';
}

function wantsClick({ body }: StoredAttack): boolean {
  return body.includes('id="click"') || body.includes('id=click');
}

/** A download is no page. */
function noteDownload(error: Error): void {
  assert.match(
    error.message,
    /Download is starting|ERR_ABORTED|interrupted by another navigation to "http:\/\/127\.0\.0\.1:\d+\/archived\//,
    error.message,
  );
}

async function click(page: Page): Promise<void> {
  await page
    .locator('#click')
    .first()
    .click({ force: true, timeout: 1_000 })
    .catch(() => {});
}
