import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseCrawlerKey, proofHeader } from '../../../src/core/report-proof.ts';
import { ReportProofs } from '../../../src/crawl/watchers/report-proofs.ts';
import { CrawlerKeys, readCrawlerKeys } from '../../../src/watcher/admit/crawler-keys.ts';

const SITE = 'https://www.example.org';
const KEY = 'a-key-of-some-length';
const WHO = { name: 'weaver', key: KEY };
const NOW = 1_800_000_000_000;

const folder = mkdtempSync(join(tmpdir(), 'keys-'));
after(() => rmSync(folder, { recursive: true }));

function fileOf(text: string, name = 'keys'): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  chmodSync(file, 0o600);
  return file;
}

test('a proof is valid only for its name, key, site, query and time', () => {
  const keys = new CrawlerKeys([WHO, { name: 'other', key: 'another-key-of-length' }]);
  const header = proofHeader(WHO, SITE, 'take=a&for=60', NOW);
  const nameIn = (text: string, site = SITE, query = 'take=a&for=60', nowMs = NOW) =>
    keys.nameIn(text, site, query, nowMs);
  assert.equal(nameIn(header), 'weaver');
  assert.ok(!header.includes(KEY));
  assert.equal(nameIn(header, 'https://other.example'), null);
  assert.equal(nameIn(header, SITE, 'take=a&for=61'), null);
  assert.equal(nameIn(header.replace('weaver', 'other')), null);
  assert.equal(nameIn(header.replace('weaver', 'nobody')), null);
  assert.equal(
    nameIn(proofHeader({ name: 'weaver', key: 'wrong-wrong-wrong-wrong' }, SITE, 'take=a&for=60', NOW)),
    null,
  );
  assert.equal(nameIn(proofHeader({ name: 'nobody', key: '' }, SITE, 'take=a&for=60', NOW)), null, 'no empty key');
  assert.equal(nameIn(header, SITE, 'take=a&for=60', NOW + 299_000), 'weaver');
  assert.equal(nameIn(header, SITE, 'take=a&for=60', NOW + 301_000), null, 'an expired proof');
  assert.equal(nameIn(header, SITE, 'take=a&for=60', NOW - 301_000), null, 'a proof from the future');
  for (const text of ['', 'weaver', `weaver ${NOW}`, `weaver ${NOW} x`, `${header}x`, 'é'.repeat(60), 'a b c d e']) {
    assert.equal(nameIn(text), null, text);
  }
});

test('the proof equals the example in the specification', () => {
  const shown = readFileSync(new URL('../../../docs/watcher-report.md', import.meta.url), 'utf8');
  const header = proofHeader(WHO, SITE, 'take=weaver&for=60', NOW);
  assert.ok(shown.includes(`Orbweaver-Crawler: ${header}\n`), header);
});

test('a proof gives the lease once, so a recorded proof is useless', () => {
  const keys = new CrawlerKeys([WHO]);
  const header = proofHeader(WHO, SITE, 'take=a', NOW);
  assert.deepEqual(
    [keys.use(header, NOW), keys.use(header, NOW), keys.use(header, NOW + 299_000)],
    [true, false, false],
  );
  assert.equal(keys.use(proofHeader(WHO, SITE, 'take=a', NOW + 1), NOW + 1), true);
});

test('a key file may have comments, and an error message never contains a key', async () => {
  const warnings: string[] = [];
  const warn = (line: string) => warnings.push(line);
  const good = fileOf(`# crawlers\n\nweaver:${KEY}\r\nother:with:colons:in:the:key\n`);
  const keys = await readCrawlerKeys(good, [], warn);
  assert.equal(keys.nameIn(proofHeader(WHO, SITE, '', NOW), SITE, '', NOW), 'weaver');
  const other = { name: 'other', key: 'with:colons:in:the:key' };
  assert.equal(keys.nameIn(proofHeader(other, SITE, '', NOW), SITE, '', NOW), 'other');
  assert.deepEqual(warnings, []);
  chmodSync(good, 0o644);
  await readCrawlerKeys(good, [], warn);
  assert.match(warnings.join(), /other users of this machine can read .*chmod 600/);
  const bad = { 'weaver:short': /line 1 is not name:key/, 'no colon': /line 1/, '# none': /no name:key/ };
  for (const [text, why] of Object.entries(bad)) {
    await assert.rejects(readCrawlerKeys(fileOf(text), [], warn), (error: Error) => {
      assert.match(error.message, why);
      return !error.message.includes('short');
    });
  }
  await assert.rejects(readCrawlerKeys(fileOf(`a:${KEY}\na:${KEY}`), [], warn), /repeats the name of an earlier line/);
  await assert.rejects(readCrawlerKeys(join(folder, 'nowhere'), [], warn), /ENOENT/);
  mkdirSync(join(folder, 'www'));
  await assert.rejects(
    readCrawlerKeys(fileOf(`a:${KEY}`, 'www/keys'), [join(folder, 'www')], warn),
    /inside the web root/,
  );
});

test('a crawler sends a proof only to the host of the key, and no two proofs are equal', () => {
  const proofs = new ReportProofs([`www.example.org|weaver:${KEY}`]);
  const keys = new CrawlerKeys([WHO]);
  const header = (url: string) => proofs.headersFor(url, NOW)['Orbweaver-Crawler'];
  const first = header(`${SITE}/.well-known/orbweaver-report?take=a&for=60`)!;
  const second = header(`${SITE}/.well-known/orbweaver-report?take=a&for=60`)!;
  assert.notEqual(first, second);
  for (const proof of [first, second]) assert.equal(keys.nameIn(proof, SITE, 'take=a&for=60', NOW), 'weaver');
  assert.equal(header('https://www.example.org:8443/'), undefined);
  assert.equal(header('https://example.org/'), undefined);
  assert.equal(proofs.wasRefused(SITE), true);
  assert.equal(header(`${SITE}/`), undefined, 'a refused proof is not sent again');
  assert.equal(proofs.wasRefused(SITE), false);
  const secret = 'weaver-without-a-host:secret-secret';
  assert.throws(
    () => new ReportProofs([secret]),
    ({ message }: Error) => /--lease-key needs "host\|name:key"/.test(message) && !message.includes('secret'),
  );
  assert.deepEqual([parseCrawlerKey('a b:0123456789abcdef'), parseCrawlerKey('a:0123456789abcde')], [null, null]);
});
