/**
 * Tests the web interface in a real Chromium, against the real server with a real small copy of a hostile site. One
 * browser and one server serve all tests, because starting them takes longer than most tests.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { openBrowser } from './setup/browser.ts';
import { HOSTILE, type ServedCopy, serveCopy, TURNED } from './setup/served-copy.ts';

const MOST_FIRST_BYTES = 80_000;
const PHONE = { width: 360, height: 740 };
const WIDE = { width: 1_600, height: 900 };
/** All parts of every view. A page is shown with each of its tabs. */
const TABS = ['page', 'reading', 'diff', 'links', 'why', 'data', 'headers'];

function viewsOf({ id, site }: ServedCopy): Record<string, string> {
  const page = (path: string, tab: string): string =>
    `/c/${id}/page?url=${encodeURIComponent(site + path)}${tab === 'page' ? '' : `&tab=${tab}`}`;
  return {
    copies: '/',
    overview: `/c/${id}`,
    sites: `/c/${id}/sites`,
    host: `/c/${id}/sites/${site.replace('http://', 'http:')}?folder=/guide/`,
    changes: `/c/${id}/changes`,
    search: `/c/${id}/search?q=radii`,
    'search without a query': `/c/${id}/search`,
    'advanced search': `/c/${id}/search/advanced?allWords=orb`,
    skipped: `/c/${id}/skipped`,
    'one reason': `/c/${id}/skipped?reason=not-found`,
    broken: `/c/${id}/broken`,
    rules: `/c/${id}/rules?show=all`,
    'inline diff': `${page('/guide/1', 'diff')}&view=inline`,
    ...Object.fromEntries(TABS.map((tab) => [`page: ${tab}`, page(tab === 'diff' ? '/guide/2' : '/', tab)])),
    'no view': '/c/x/nothing/here',
  };
}

/** Opens a view and waits until its content is there. */
async function open(page: Page, copy: ServedCopy, path: string): Promise<void> {
  await page.goto(new URL(path, copy.url).href);
  await settled(page);
}

/** Changes the view without loading the page again, as a link does. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new Event('popstate'))`);
  await settled(page);
}

async function settled(page: Page): Promise<void> {
  await page.locator('main h1').waitFor({ state: 'attached' });
  await page.locator('main:not(:has(.skeleton))').waitFor();
}

interface Watched {
  readonly page: Page;
  readonly faults: string[];
  readonly origins: Set<string>;
}

async function watchedPage(browser: BrowserContext): Promise<Watched> {
  const page = await browser.newPage();
  const faults: string[] = [];
  const origins = new Set<string>();
  page.on('pageerror', (error) => faults.push(`error: ${error.stack ?? error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    // An archived page may try to start scripts, and the browser says that it does not.
    const isRefused = /Blocked script execution/.test(message.text());
    if (message.type() === 'error' && !isRefused) faults.push(`${message.text()} ${message.location().url}`);
  });
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  return { page, faults, origins };
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** All rules are checked once; in the other colours only those about colours. */
async function violationsIn(page: Page, rules: 'all' | 'colours'): Promise<string[]> {
  await page.evaluate(axe.source);
  const options = {
    iframes: false,
    resultTypes: ['violations'],
    ...(rules === 'colours' && { runOnly: ['color-contrast'] }),
  };
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => ({ violations }))`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 200)} ${nodes[0]!.failureSummary}`);
}

interface Look {
  readonly width: number;
  readonly hacked: boolean;
  readonly headings: number;
  readonly alerts: readonly string[];
  readonly links: readonly { readonly href: string; readonly rel: string; readonly target: string }[];
  readonly sandboxes: readonly (string | null)[];
}

/** Evaluated in the page. */
const LOOK = `({
  width: document.documentElement.scrollWidth,
  hacked: 'hacked' in window,
  headings: document.querySelectorAll('h1').length,
  alerts: [...document.querySelectorAll('[role=alert]')].map((alert) => alert.textContent),
  links: [...document.querySelectorAll('a[href]')].map(({ href, rel, target }) => ({ href, rel, target })),
  sandboxes: [...document.querySelectorAll('iframe')].map((frame) => frame.getAttribute('sandbox')),
})`;

const PLANT = `{
  const text = document.createElement('p');
  text.textContent = 'faint';
  text.style.color = 'rgb(128 128 128 / 0.3)';
  document.querySelector('main').append(text);
}`;

async function lookAtAll(browser: BrowserContext, copy: ServedCopy, colorScheme: 'light' | 'dark'): Promise<void> {
  const { page, faults, origins } = await watchedPage(browser);
  const isFirst = colorScheme === 'light';
  const size = isFirst ? WIDE : PHONE;
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme });
  const found: string[] = [];
  if (!isFirst) await open(page, copy, '/');
  for (const [name, path] of Object.entries(viewsOf(copy))) {
    if (isFirst) await open(page, copy, path);
    else await goTo(page, path);
    for (const fault of faults.splice(0)) found.push(`${name}: ${fault}`);
    for (const violation of await violationsIn(page, isFirst ? 'all' : 'colours')) found.push(`${name}: ${violation}`);
    const { width, hacked, headings, alerts, links, sandboxes } = await page.evaluate<Look>(LOOK);
    if (width > size.width) found.push(`${name}: is ${width} px wide at ${size.width} px`);
    if (hacked) found.push(`${name}: executed what the site wrote`);
    if (headings !== 1) found.push(`${name}: has ${headings} main headings`);
    if (alerts.length > 0) found.push(`${name}: ${alerts}`);
    if (sandboxes.some((sandbox) => sandbox !== '')) found.push(`${name}: a frame may do something`);
    for (const { href, rel, target } of links) {
      const isInside = href.startsWith(copy.url);
      const isMarked = rel === 'noreferrer noopener' && target === '_blank';
      if (!/^https?:/.test(href) || (!isInside && !isMarked)) found.push(`${name}: links to ${href} as its own`);
    }
  }
  assert.deepEqual(found, []);
  assert.deepEqual([...origins], [new URL(copy.url).origin], 'nothing is loaded from elsewhere');
  await page.evaluate(PLANT);
  const planted = await violationsIn(page, isFirst ? 'all' : 'colours');
  assert.ok(
    planted.some((violation) => violation.startsWith('color-contrast')),
    'the check sees text that is too faint',
  );
  await page.close();
}

test('the web interface', async (t) => {
  const browser = await openBrowser(t);
  if (browser === null) return;
  const copy = await serveCopy(t);

  await t.test('every view is sound for people and screen readers: light, 1,600 px', () =>
    lookAtAll(browser, copy, 'light'),
  );
  await t.test('every view is sound for people and screen readers: dark, 360 px', () =>
    lookAtAll(browser, copy, 'dark'),
  );
  await t.test('the first view takes at most 80 KB', () => firstView(browser, copy));
  await t.test('the token leaves the address, and allows changes', () => tokenWorks(browser, copy));
  await t.test('the keyboard reaches everything', () => keyboardWorks(browser, copy));
  await t.test('hostile texts are shown as they are', () => hostileTexts(browser, copy));
  await t.test('searching completes words, narrows, and keeps its state in the address (E10)', () =>
    searching(browser, copy),
  );
  await t.test('a new change waits behind a bar', (t) => newChanges(t, browser, copy));
});

async function firstView(browser: BrowserContext, copy: ServedCopy): Promise<void> {
  const { page, faults } = await watchedPage(browser);
  const bodies: Promise<Buffer>[] = [];
  page.on('response', (response) => {
    if (/document|script|stylesheet/.test(response.request().resourceType())) bodies.push(response.body());
  });
  await open(page, copy, `/c/${copy.id}`);
  await page.locator('.chart-place canvas').first().waitFor();
  const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(all > 20_000 && all <= MOST_FIRST_BYTES, `${all} bytes`);
  assert.deepEqual(faults, []);
  await page.close();
}

async function tokenWorks(browser: BrowserContext, copy: ServedCopy): Promise<void> {
  const { page, faults } = await watchedPage(browser);
  await open(page, copy, '/');
  await page.getByText('Read-only').waitFor();
  await page.goto('about:blank');
  await page.goto(copy.link);
  await page.locator('.brand').waitFor();
  assert.equal(await page.evaluate('location.hash'), '');
  assert.equal(await page.getByText('Read-only').count(), 0);
  await page.locator('tbody a').first().click();
  await page.getByRole('button', { name: 'Refresh' }).waitFor();
  await page.getByRole('link', { name: 'Rules' }).first().click();
  await page.getByRole('button', { name: 'Change --depth' }).click();
  await page.getByRole('textbox', { name: '--depth' }).fill('nonsense');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.rule [role=alert]').waitFor();
  await page.getByRole('textbox', { name: '--depth' }).fill('7');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.rule', { hasText: '--depth' }).getByText('7', { exact: true }).waitFor();
  assert.deepEqual(
    faults.filter((fault) => !/status of 400/.test(fault)),
    [],
  );
  await page.close();
}

async function keyboardWorks(browser: BrowserContext, copy: ServedCopy): Promise<void> {
  const { page } = await watchedPage(browser);
  await open(page, copy, `/c/${copy.id}`);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content');
  await page.keyboard.press('/');
  assert.equal(await page.evaluate('document.activeElement.id'), 'search-box');
  await page.keyboard.type('radii');
  await page.keyboard.press('Enter');
  await page.locator('.result').first().waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page.getByRole('heading', { name: 'Sites' }).waitFor();
  // Screen readers say which view was opened.
  await page.locator('h1:focus', { hasText: 'Sites' }).waitFor();
  assert.equal(await page.title(), 'Sites · Orbweaver');
  await page.goBack();
  await page.locator('.result').first().waitFor();
  await page.goForward();
  await page.locator('tbody a').first().focus();
  await page.keyboard.press('Enter');
  const folder = page.locator('.tree-name').first();
  await folder.waitFor();
  await folder.focus();
  await page.keyboard.press('ArrowRight');
  await page.locator('[aria-level="2"]').first().waitFor();
  assert.match(page.url(), /folder=/);
  await page.keyboard.press('ArrowDown');
  await page.locator('[data-line="1"]:focus').waitFor();
  await page.close();
}

async function hostileTexts(browser: BrowserContext, copy: ServedCopy): Promise<void> {
  const { page, faults } = await watchedPage(browser);
  await open(page, copy, `/c/${copy.id}/page?url=${encodeURIComponent(`${copy.site}/`)}&tab=links`);
  const shown = await page.locator('main').textContent();
  assert.ok(shown!.includes(HOSTILE), 'markup is text');
  assert.ok(shown!.includes(TURNED.replace('\u202e', '\ufffd')), 'the turning character is visible');
  assert.equal(shown!.includes('\u202e'), false);
  assert.deepEqual(faults, []);
  await page.close();
}

async function searching(browser: BrowserContext, copy: ServedCopy): Promise<void> {
  const { page, faults } = await watchedPage(browser);
  await open(page, copy, `/c/${copy.id}/search`);
  const box = page.getByRole('combobox', { name: 'Search the copy' });
  await box.pressSequentially('spir');
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.locator('.result mark').first().waitFor();
  assert.match(page.url(), /\?q=spir\w+/);
  await page.locator('.facets a').first().click();
  await page.waitForURL(/site%3A|lang%3A|filetype%3A/);
  await page.goto(new URL(`/c/${copy.id}/search/advanced`, copy.url).href);
  await page.getByLabel('This exact phrase').fill('thirty radii');
  await page.getByLabel('File format').fill('html');
  await page.locator('.built code', { hasText: 'filetype:html' }).waitFor();
  await page.getByRole('button', { name: 'Search' }).click();
  await page.locator('.result').first().waitFor();
  assert.match(new URL(page.url()).searchParams.get('q')!, /"thirty radii".*filetype:html/);
  assert.deepEqual(faults, []);
  await page.close();
}

async function newChanges(t: TestContext, browser: BrowserContext, copy: ServedCopy): Promise<void> {
  const { page, faults } = await watchedPage(browser);
  t.after(() => page.close());
  await page.goto(copy.link);
  await open(page, copy, `/c/${copy.id}/changes`);
  const first = await page.locator('.change-title').first().textContent();
  const connected = page.waitForResponse((response) => response.url().endsWith('/events'));
  await page.reload();
  await connected;
  await page.locator('.change-title').first().waitFor();
  await copy.change();
  await page.locator('.new-bar').waitFor();
  assert.equal(await page.locator('.change-title').first().textContent(), first, 'the list does not move');
  await page.locator('.new-bar').click();
  await page.locator('.change-title', { hasText: 'Guide anew' }).waitFor();
  assert.deepEqual(faults, []);
}
