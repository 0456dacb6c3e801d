/**
 * Tests what a user sees of a crawl and a refresh that reached no server: the reasons, what to do, and the exit code.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BEHAVIOURS } from '../../testbed/web/behaviours.ts';
import { reply, startWeb } from '../../testbed/web/local-web.ts';
import { dataFolder } from '../crawl/stored-crawl.ts';
import { runCli } from './setup/run-cli.ts';

test('a crawl without a page and a refresh without an answer exit with 1 and give the reasons', async (t) => {
  const web = await startWeb();
  web.on('/', reply('<p>here'));
  const dir = dataFolder(t);
  assert.equal((await runCli('crawl', web.url('/'), '--dir', dir)).exitCode, 0);
  await web.close();
  const empty = dataFolder(t);
  const [crawled, refreshed] = await Promise.all([
    runCli('crawl', web.url('/'), '--dir', empty),
    runCli('refresh', '--dir', dir, '--json', '--patience', '0s'),
  ]);
  assert.equal(crawled.exitCode, 1, crawled.stderr);
  assert.match(crawled.stdout, /^Failed: 0 pages and 0 duplicates of 1 host/);
  assert.match(
    crawled.stdout,
    /: the robots\.txt of its host could not be read: .* \[connect-failed\]; next try after /,
  );
  assert.match(
    crawled.stdout,
    /\n {4}What to do: check the port, and whether the server is running\. More: orbweaver /,
  );
  assert.match(crawled.stdout, /^The same command tries again\.$/m);

  assert.equal(refreshed.exitCode, 1, refreshed.stderr);
  assert.equal(refreshed.stdout.trimEnd().split('\n').length, 1, 'one object on stdout');
  const { ending, hostTroubles, missing, returned } = JSON.parse(refreshed.stdout);
  assert.deepEqual([ending, hostTroubles[0].reason, missing, returned], ['failed', 'connect-failed', 0, 0]);
  assert.match(refreshed.stderr, /Failed: no page answered, and the copy keeps its pages; .*\[connect-failed\]/s);

  const [explained, status] = await Promise.all([
    runCli('explain', web.url('/'), '--dir', empty),
    runCli('status', '--dir', empty),
  ]);
  assert.match(
    explained.stdout,
    /robots\.txt of its host could not be read \(read .*\): .* \[connect-failed\]\. Until /,
  );
  assert.match(explained.stdout, /No request is sent to its host until .* UTC: .* \[connect-failed\]\./);
  assert.match(status.stdout, /last problem\n +http:\S+ +0 +1 +0 .*connect-failed\n/);
});

test('a crawl says when the same command tries again, and why each URL waits', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/robots.txt', reply('in trouble', {}, 503));
  const broken = await startWeb();
  t.after(() => broken.close());
  broken.on('/', reply('<a href="/reset">x</a>'));
  broken.on('/reset', BEHAVIOURS.ResetBeforeHeaders());
  const [closed, reset] = await Promise.all([
    runCli('crawl', web.url('/'), '--dir', dataFolder(t), '--patience', '0s'),
    runCli('crawl', broken.url('/'), '--dir', dataFolder(t), '--patience', '0s'),
  ]);
  assert.equal(closed.exitCode, 1, closed.stderr);
  const [, seedAt] = /\[server-error\]; next try after (.*)$/m.exec(closed.stdout)!;
  const [, commandAt] = /^The same command tries again after (.*)\.$/m.exec(closed.stdout)!;
  assert.equal(commandAt, seedAt);
  assert.match(reset.stdout, /^1 failed \(1 of them is tried again: connection-reset 1\), 1 skipped, 1 waiting$/m);
});
