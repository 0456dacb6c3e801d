import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runCli } from './setup/run-cli.ts';
import { makeSmallCrawl, removeCrawl, SEED, SITE, type SmallCrawl } from './setup/small-crawl.ts';

let crawl: SmallCrawl;
before(async () => {
  crawl = await makeSmallCrawl();
});
after(() => removeCrawl(crawl));

async function explained(url: string): Promise<string> {
  const { exitCode, stdout, stderr } = await runCli('explain', url, '--dir', crawl.dir);
  assert.equal(stderr, '');
  assert.equal(exitCode, 0);
  return stdout;
}

test('explain describes a fetched seed and makes its title safe for the terminal', async () => {
  const text = await explained(SEED);
  assert.match(text, /^http:\/\/site\.test\/\nFetched on 2025-11-15 09:46:40 UTC with status 200 \(text\/html\)\.\n/);
  assert.match(text, /It is a seed\./);
  assert.match(text, /robots\.txt of its host allows it/);
  assert.match(text, /In the archive: orbweaver-\S+\.warc\.gz, \d+ bytes from offset \d+\./);
  assert.ok(text.includes('=HYPERLINK'));
  assert.ok(!text.includes('\x1b'), 'an escape sequence would be run by the terminal');
});

test('explain names the original of a duplicate by content and by canonical link', async () => {
  const [byContent, byCanonical] = await Promise.all([explained(`${SITE}/b`), explained(`${SITE}/copy`)]);
  assert.match(byContent, /another page has the same content \[duplicate-content\]/);
  assert.match(byContent, /It is a duplicate of http:\/\/site\.test\/a\n/);
  assert.match(byContent, /a revisit record/);
  assert.match(byCanonical, /\[duplicate-canonical\]/);
  assert.match(byCanonical, /It is a duplicate of http:\/\/site\.test\/a\n/);
});

test('explain says why a canonical link does not count', async () => {
  assert.match(
    await explained(`${SITE}/b`),
    /It names http:\/\/site\.test\/gone as its canonical URL\. This does not count: .* no page \(404 or 410\)\.\n/,
  );
});

test('explain shows a chain of redirects to its end', async () => {
  assert.match(
    await explained(`${SITE}/old`),
    /with status 301.*\nIt redirects to:\n {2}→ http:\/\/site\.test\/older\n {2}→ http:\/\/site\.test\/a\nThe last target is fetched\./,
  );
});

test('explain shows the path from the seed', async () => {
  assert.match(
    await explained(`${SITE}/deep`),
    /Waiting for its turn.*\nIt is 2 links away from the seeds, found through:\n {2}http:\/\/site\.test\/\n {2}http:\/\/site\.test\/a\n/,
  );
});

test('explain separates final failures from failures that are tried again', async () => {
  const [gone, retry, blocked] = await Promise.all([
    explained(`${SITE}/gone`),
    explained(`${SITE}/retry`),
    explained('http://other.test/x'),
  ]);
  assert.match(gone, /Failed on .* with status 410 \(text\/html\): the server says 410 \[gone\]\./);
  assert.match(
    retry,
    /failed 2 times in a row: the server says 5xx \[server-error\]\. It is tried again after 2999-01-01/,
  );
  assert.match(blocked, /No request is sent to its host until 2999-01-01 00:00:00 UTC/);
});

test('explain names the rule that skipped a URL', async () => {
  const [robots, trap] = await Promise.all([explained(`${SITE}/private/x`), explained(`${SITE}/on/and/on/and/on/and`)]);
  assert.match(robots, /Not fetched: the host's robots\.txt disallows it \[robots-disallowed\]/);
  assert.match(robots, /robots\.txt of its host disallows it \(read 2025-11-15 09:46:40 UTC\)/);
  assert.match(trap, /\[trap-repeated-segments\]/);
});

test('explain names the rule that would exclude an unknown URL, or none', async () => {
  const asked = {
    'https://elsewhere.test/': /would not fetch it: .*\[out-of-scope\]/,
    [`${SITE}/secret/1`]: /\[excluded\]/,
    [`${SITE}/private/unknown`]: /\[robots-disallowed\]/,
    [`${SITE}/toys/pens/toys/pens/toys/pens/`]: /\[trap-repeated-segments\]/,
    [`${SITE}/new;jsessionid=1a2b`]:
      /\[trap-session-id\]\.\nInstead, this URL would be fetched: http:\/\/site\.test\/new\n/,
    [`${SITE}/new`]: /This crawl does not know the URL: it was not found on any page so far\./,
  };
  await Promise.all(Object.entries(asked).map(async ([url, right]) => assert.match(await explained(url), right)));
});

test('other spellings of a URL mean the same URL', async () => {
  const [spelled, bare] = await Promise.all([explained('HTTP://SITE.test:80/./a#part'), explained('site.test/a')]);
  assert.match(spelled, /^http:\/\/site\.test\/a\nFetched/);
  assert.match(bare, /^http:\/\/site\.test\/a\nFetched/);
});

test('explain --json has the same facts as data', async () => {
  const { stdout } = await runCli('explain', `${SITE}/retry`, '--dir', crawl.dir, '--json');
  const story = JSON.parse(stdout);
  assert.equal(story.known, true);
  assert.equal(story.state, 'waiting');
  assert.equal(story.reason, 'server-error');
  assert.equal(story.why, 'the server says 5xx');
  assert.deepEqual(story.via, [SEED]);
  assert.equal(story.triedAgainAt, '2999-01-01T00:00:00.000Z');
  assert.deepEqual(story.robots, { state: 'rules', allowed: true });
  assert.equal(story.capture, null);
});

test('a missing URL is bad usage, and a missing crawl is a failure', async () => {
  const [none, nonsense, noCrawl] = await Promise.all([
    runCli('explain', '--dir', crawl.dir),
    runCli('explain', 'ftp://site.test/', '--dir', crawl.dir),
    runCli('explain', SEED, '--dir', '/nonexistent-folder'),
  ]);
  assert.equal(none.exitCode, 2);
  assert.equal(nonsense.exitCode, 2);
  assert.match(nonsense.stderr, /\[ERR_BAD_URL\]/);
  assert.equal(nonsense.stdout, '');
  assert.equal(noCrawl.exitCode, 1);
  assert.match(noCrawl.stderr, /\[ERR_NO_CRAWL\]/);
});
