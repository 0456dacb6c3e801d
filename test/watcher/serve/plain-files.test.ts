import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { LeaseAdmission } from '../../../src/watcher/admit/lease-admission.ts';
import { LeaseKeeper } from '../../../src/watcher/report/lease-keeper.ts';
import { REPORT_PATH } from '../../../src/watcher/serve/handler.ts';
import { leaseByLog } from '../../../src/watcher/serve/log-lease.ts';
import { PlainFiles } from '../../../src/watcher/serve/plain-files.ts';
import { WebRoot } from '../../../src/watcher/serve/web-root.ts';
import { SiteInMemory, sourceOf } from '../report/site-in-memory.ts';
import { linesOf } from './local-report.ts';

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function webRoot(): string {
  const folder = mkdtempSync(join(tmpdir(), 'web-root-'));
  folders.push(folder);
  return folder;
}

const reportIn = (root: string) => linesOf(readFileSync(join(root, REPORT_PATH)));

test('report and sitemap are complete and readable by all, and are written only after a change', async () => {
  const root = webRoot();
  const site = new SiteInMemory();
  site.begin(['/', '/a.html']);
  const texts = { '/0123456789abcdef.txt': '0123456789abcdef' };
  let now = 0;
  const clock = { now: () => now, after: () => () => undefined };
  const files = new PlainFiles(sourceOf(site), await WebRoot.open(root), { maxChanges: 3, texts, clock });
  site.isComplete = false;
  assert.equal(await files.write(), false);
  site.isComplete = true;
  assert.equal(await files.write(), true);
  assert.equal(await files.write(), false);
  assert.equal(readFileSync(join(root, '0123456789abcdef.txt'), 'utf8'), '0123456789abcdef');
  const names = ['orbweaver-report', 'orbweaver-sitemap-1.xml', 'orbweaver-sitemap.xml'];
  assert.deepEqual(readdirSync(join(root, '.well-known')).sort(), names);
  for (const name of names) assert.equal(statSync(join(root, '.well-known', name)).mode & 0o777, 0o644);
  assert.deepEqual(reportIn(root)[0]!.lease, { by: 'none', held: false });

  for (let i = 0; i < 5; i++) await site.put('/a.html', `version ${i}`);
  await site.put('/b.html', '1');
  assert.equal(await files.write(), true);
  const [head, ...entries] = reportIn(root);
  assert.deepEqual([head!.since, head!.cursor, head!.listing, head!.more], ['k3f9x2.3', 'k3f9x2.6', false, false]);
  assert.deepEqual(
    entries.map(({ url, seq, entries: count }) => url ?? count ?? seq),
    ['/a.html', '/b.html', 2],
  );
  // The sitemap of the start does not fit this report any more.
  const sitemap = () => readFileSync(join(root, '.well-known/orbweaver-sitemap-1.xml'), 'utf8');
  assert.match(sitemap(), /b\.html/);
  await site.put('/c.html', '1');
  await files.write();
  assert.doesNotMatch(sitemap(), /c\.html/, 'the report goes back far enough');
  now += 3_600_000;
  await site.put('/d.html', '1');
  await files.write();
  assert.match(sitemap(), /c\.html/);
});

test('the sitemap followed by the report gives the current state of the site', async () => {
  const root = webRoot();
  const site = new SiteInMemory();
  site.begin(['/', '/a', '/b']);
  const files = new PlainFiles(sourceOf(site), await WebRoot.open(root), { maxChanges: 4 });
  for (let i = 0; i < 60; i++) {
    if (i % 7 === 3) await site.remove(`/${i - 3}`);
    else await site.put(`/${i}`, 'x');
    if (i % 3 !== 0) continue;
    await files.write();
    const xml = readFileSync(join(root, '.well-known/orbweaver-sitemap-1.xml'), 'utf8');
    const pages = new Set([...xml.matchAll(/<loc>https:\/\/www\.example\.org([^<]*)</g)].map(([, url]) => url!));
    for (const { url, change } of reportIn(root).slice(1, -1)) {
      if (change === 'deleted') pages.delete(url as string);
      else pages.add(url as string);
    }
    assert.deepEqual([...pages].sort(), [...site.state().keys()].sort());
  }
});

test('obsolete sitemap parts are deleted, and other files stay', async () => {
  const root = webRoot();
  mkdirSync(join(root, '.well-known'));
  for (const name of ['orbweaver-sitemap-7.xml', 'orbweaver-sitemap-x.xml', 'security.txt'])
    writeFileSync(join(root, '.well-known', name), 'x');
  const site = new SiteInMemory();
  site.begin(['/']);
  await new PlainFiles(sourceOf(site), await WebRoot.open(root)).write();
  const names = readdirSync(join(root, '.well-known')).sort();
  assert.deepEqual(names, [
    'orbweaver-report',
    'orbweaver-sitemap-1.xml',
    'orbweaver-sitemap-x.xml',
    'orbweaver-sitemap.xml',
    'security.txt',
  ]);
});

test('the watcher follows no link out of the web root', async () => {
  const [root, outside] = [webRoot(), webRoot()];
  writeFileSync(join(outside, 'secret'), 'secret');
  const site = new SiteInMemory();
  site.begin(['/']);
  symlinkSync(outside, join(root, '.well-known'));
  const files = new PlainFiles(sourceOf(site), await WebRoot.open(root));
  await assert.rejects(files.write(), { code: 'ERR_DIR' });
  assert.deepEqual(readdirSync(outside), ['secret']);
  rmSync(join(root, '.well-known'));
  mkdirSync(join(root, '.well-known'));
  symlinkSync(join(outside, 'secret'), join(root, REPORT_PATH));
  symlinkSync(join(outside, 'secret'), join(root, `${REPORT_PATH}.part`));
  assert.equal(await files.write(), true);
  assert.equal(readFileSync(join(outside, 'secret'), 'utf8'), 'secret');
  assert.equal(reportIn(root)[0]!['orbweaver-report'], 1);
  const there = await WebRoot.open(root);
  for (const path of ['/../x', 'x', '/a/../../x', '//x', '/', '/a b'])
    await assert.rejects(there.write(path, ['x']), path);
  assert.ok(!existsSync(join(root, '..', 'x')));
});

test('a lease taken through the access log is in the next report until it expires', async () => {
  const root = webRoot();
  const site = new SiteInMemory();
  site.begin(['/']);
  let steady = 0;
  const clock = { now: () => 1_800_000_000_000 + steady, steadyMs: () => steady, uptimeMs: () => steady };
  const lease = await LeaseKeeper.open(join(webRoot(), 'lease.json'), {}, clock);
  const files = new PlainFiles(sourceOf(site), await WebRoot.open(root), { lease });
  const logged = leaseByLog(lease, REPORT_PATH, site, new LeaseAdmission(), () => steady);
  const line = (holder: string) =>
    `203.0.113.9 - - [15/Nov/2026:20:15:00 +0000] "GET ${REPORT_PATH}?take=${holder}&for=60 HTTP/1.1" 200 512 "-" "bot"`;
  await files.write();
  assert.deepEqual(reportIn(root)[0]!.lease, { by: 'log', held: false });
  await logged(line('first'));
  await logged(line('second'));
  assert.equal(await files.write(), true);
  assert.deepEqual(reportIn(root)[0]!.lease, {
    by: 'log',
    held: true,
    holder: 'first',
    until: '2027-01-15T08:01:00.000Z',
  });
  steady += 30_000;
  assert.equal(await files.write(), false);
  await logged(line('first'));
  assert.equal(await files.write(), true, 'the lease was extended');
  steady += 60_000;
  assert.equal(await files.write(), true);
  assert.deepEqual(reportIn(root)[0]!.lease, { by: 'log', held: false });
});

test('the rules about known addresses and lease shares also apply to leases through the access log', async () => {
  const site = new SiteInMemory();
  site.begin(['/']);
  let steady = 0;
  const clock = { now: () => 1_800_000_000_000 + steady, steadyMs: () => steady, uptimeMs: () => steady };
  const line = (address: string, holder: string) =>
    `${address} - - [15/Nov/2026:20:15:00 +0000] "GET ${REPORT_PATH}?take=${holder}&for=999999999 HTTP/1.1" 200 512 "-" "bot"`;
  const holderOf = (lease: LeaseKeeper) => {
    const view = lease.view('log');
    return view.held ? view.holder : null;
  };
  const known = await LeaseKeeper.open(join(webRoot(), 'lease.json'), {}, clock);
  const rules = { leaseFor: 'known', from: ['203.0.113.0/24'] } as const;
  const byKnown = leaseByLog(known, REPORT_PATH, site, new LeaseAdmission(rules), () => steady);
  await byKnown(line('198.51.100.1', 'evil'));
  assert.equal(holderOf(known), null);
  await byKnown(line('203.0.113.9', 'weaver'));
  assert.equal(holderOf(known), 'weaver');

  const shared = await LeaseKeeper.open(join(webRoot(), 'lease.json'), { anonymousMs: 120_000 }, clock);
  const admission = new LeaseAdmission({ longestMs: 120_000, takesPerMinute: 30 });
  const byAnyone = leaseByLog(shared, REPORT_PATH, site, admission, () => steady);
  await byAnyone(line('198.51.100.1', 'evil'));
  steady += 121_000;
  await byAnyone(line('198.51.100.1', 'evil'));
  assert.equal(holderOf(shared), 'evil', 'half of its share is restored');
  steady += 61_000;
  await byAnyone(line('198.51.100.1', 'evil-2'));
  const isEvil = holderOf(shared) !== null;
  await byAnyone(line('198.51.100.2', 'honest'));
  assert.deepEqual([isEvil, holderOf(shared)], [true, 'evil-2'], 'it gets the restored part of its share');
  steady += 31_000;
  await byAnyone(line('198.51.100.2', 'honest'));
  assert.equal(holderOf(shared), 'honest', 'then another address gets the lease');
});
