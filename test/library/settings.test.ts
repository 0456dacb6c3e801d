import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CRAWL_OPTIONS, resolveOptions } from '../../src/core/options/options.ts';
import { crawl, OrbweaverError } from '../../src/index.ts';
import { type CrawlSettings, readSettings } from '../../src/library/settings.ts';

test('options may be values or texts of the command line', () => {
  const asText = readSettings({ limit: '1_000', maxBody: '1mb', delay: '500ms', exclude: '*/x', timeout: '5s' });
  const asValue = readSettings({
    limit: 1_000,
    maxBody: 1_000_000,
    delay: '0.5s',
    exclude: ['*/x'],
    timeout: '5000ms',
  });
  assert.deepEqual(asText.options, asValue.options);
  assert.deepEqual(
    [asText.options.limit, asText.options.delay, asText.options.timeout, asText.options.exclude],
    [1_000, 500, 5_000, ['*/x']],
  );
  assert.ok(Object.isFrozen(asText.options));
});

test('missing and undefined options have their defaults, and the environment is ignored', (t) => {
  t.after(() => delete process.env.ORBWEAVER_DEPTH);
  process.env.ORBWEAVER_DEPTH = '3';
  assert.deepEqual(readSettings({ depth: undefined }).options, resolveOptions([]));
  assert.deepEqual(readSettings({ delay: 'auto' }).options, resolveOptions([]));
});

test('allowPrivate is a switch, a host or network, or a list of them', () => {
  const read = (allowPrivate: CrawlSettings['allowPrivate']) => readSettings({ allowPrivate }).options.allowPrivate;
  assert.deepEqual([read(undefined), read(true), read(false)], [null, true, false]);
  assert.deepEqual(read('10.0.0.0/8'), ['10.0.0.0/8']);
  assert.deepEqual(read(['10.0.0.0/8', 'Intranet.Test']), ['10.0.0.0/8', 'intranet.test']);
});

/** Settings that TypeScript would also refuse. */
const WRONG: readonly (readonly [CrawlSettings | Record<string, unknown>, string, RegExp])[] = [
  [{ maxBodies: 1 }, 'ERR_UNKNOWN_OPTION', /no option "maxBodies"; did you mean maxBody\?/],
  [{ 'max-body': 1 }, 'ERR_UNKNOWN_OPTION', /did you mean maxBody\?/],
  [{ Dir: 'x' }, 'ERR_UNKNOWN_OPTION', /did you mean dir\?/],
  [{ depth: -1 }, 'ERR_BAD_OPTION', /option depth of crawl\(\) needs a whole number/],
  [{ scope: 'world' }, 'ERR_BAD_OPTION', /option scope of crawl\(\) must be one of page, prefix/],
  [{ timeout: 5_000 }, 'ERR_BAD_OPTION', /option timeout of crawl\(\) needs its unit: write '5000ms' or '5000s'/],
  [{ allowPrivate: 'http://a.test/' }, 'ERR_BAD_OPTION', /option allowPrivate of crawl\(\) needs addresses, networks/],
  [{ dir: '' }, 'ERR_BAD_OPTION', /dir/],
  [{ dir: 7 }, 'ERR_BAD_OPTION', /dir/],
  [{ add: 'yes' }, 'ERR_BAD_OPTION', /option add of crawl\(\) must be true or false/],
  [{ signal: 'stop' }, 'ERR_BAD_OPTION', /AbortSignal/],
];

for (const [settings, code, message] of WRONG) {
  test(`these settings are refused at once: ${JSON.stringify(settings)}`, () => {
    assert.throws(() => crawl('http://127.0.0.1:1/', settings as CrawlSettings), { code, message });
  });
}

test('every option that is a time needs a unit', () => {
  const times = Object.entries(CRAWL_OPTIONS).filter(([, { parse }]) => parse.hint.startsWith('<time>'));
  assert.ok(times.length >= 6);
  for (const [name] of times) {
    assert.throws(() => readSettings({ [name]: 30 }), { code: 'ERR_BAD_OPTION' }, name);
    readSettings({ [name]: 0 });
  }
});

test('invalid seeds are refused at once', () => {
  const refused = (error: unknown) => error instanceof OrbweaverError && error.code === 'ERR_BAD_URL';
  assert.throws(() => crawl('mailto:somebody@example.com'), refused);
  assert.throws(() => crawl(['http://127.0.0.1:1/', 'no url']), refused);
  assert.throws(() => crawl(undefined as unknown as string), refused);
  assert.throws(() => crawl([]), { code: 'ERR_USAGE' });
});
