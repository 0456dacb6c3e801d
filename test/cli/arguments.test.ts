import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  COMMON_FLAGS,
  CRAWL_FLAGS,
  givenOptions,
  parseArguments,
  REFRESH_FLAGS,
  stringFlag,
  switchFlag,
} from '../../src/cli/arguments.ts';
import { command as refreshCommand } from '../../src/cli/commands/refresh.ts';
import { PLACE_FLAGS } from '../../src/cli/named-crawl.ts';
import { ASKING_OPTIONS, flagName, OPTION_NAMES, resolveOptions } from '../../src/core/options/options.ts';
import { REFRESH_OPTION_NAMES } from '../../src/core/options/refresh-options.ts';
import { runCli } from './setup/run-cli.ts';

const FLAGS = { ...PLACE_FLAGS, ...COMMON_FLAGS, ...CRAWL_FLAGS };

function parse(...words: string[]) {
  return parseArguments('crawl', words, FLAGS);
}

test('flags and words may come in any order, with both ways to write a value', () => {
  const args = parse('http://a.test/', '--limit', '5', '--dir=x', 'http://b.test/', '--json');
  assert.deepEqual(args.words, ['http://a.test/', 'http://b.test/']);
  assert.equal(stringFlag(args, 'dir', 'default'), 'x');
  assert.equal(switchFlag(args, 'json'), true);
  assert.deepEqual(givenOptions(args), { limit: '5' });
});

test('a flag that is not given has its fallback value', () => {
  const args = parse();
  assert.equal(stringFlag(args, 'dir', 'default'), 'default');
  assert.equal(switchFlag(args, 'json'), false);
  assert.deepEqual(givenOptions(args), {});
});

test('a flag that may be given several times keeps all values in order', () => {
  const args = parse('--exclude', 'a', '--exclude', 'b');
  assert.deepEqual(givenOptions(args), { exclude: ['a', 'b'] });
});

test('--no- turns a switch off and is refused for other flags', () => {
  assert.deepEqual(givenOptions(parse('--no-http2')), { http2: false });
  assert.throws(() => parse('--no-limit'), { code: 'ERR_USAGE' });
});

test('--allow-private stands alone or takes hosts and networks; a URL after it is a seed', () => {
  const read = (...words: string[]) => {
    const args = parse(...words);
    return [resolveOptions([{ from: 'test', given: givenOptions(args) }]).allowPrivate, ...args.words];
  };
  assert.deepEqual(read(), [null]);
  assert.deepEqual(read('--allow-private'), [true]);
  assert.deepEqual(read('--no-allow-private'), [false]);
  assert.deepEqual(read('--allow-private', '--json'), [true]);
  assert.deepEqual(read('--allow-private', 'http://a.test/'), [true, 'http://a.test/']);
  for (const seed of ['a.test/page', '127.0.0.1:8080', '10.0.0.1/index.html', 'localhost:1/']) {
    assert.deepEqual(read('--allow-private', seed), [true, seed]);
  }
  for (const words of [['--allow-private=10.0.0.0/8'], ['--allow-private', '10.0.0.0/8']]) {
    assert.deepEqual(read('http://a.test/', ...words), [['10.0.0.0/8'], 'http://a.test/']);
  }
  assert.deepEqual(read('--allow-private', 'Intranet.,fd00::1', '--allow-private=0x7f.1'), [
    ['intranet', 'fd00::1', '127.0.0.1'],
  ]);
  assert.deepEqual(read('--allow-private', '--', '10.0.0.1'), [true, '10.0.0.1']);
  for (const words of [
    ['--allow-private', '--allow-private=10.0.0.1'],
    ['--allow-private='],
    ['--allow-private=http://a.test/'],
    ['--allow-private=10.0.0.0/33'],
    ['--allow-private=*.a.test'],
  ]) {
    assert.throws(() => read(...words), { code: 'ERR_BAD_OPTION' }, String(words));
  }
  assert.throws(() => read('--no-allow-private=10.0.0.1'), { code: 'ERR_USAGE' });
});

test('a crawl without a URL says that --allow-private took the word', async () => {
  const { exitCode, stderr } = await runCli('crawl', '--allow-private', 'intranet', '--dir', '/nonexistent/new');
  assert.equal(exitCode, 2);
  assert.match(stderr, /the URL to start from is missing: intranet was read as the value of --allow-private/);
});

test('words after -- are never flags', () => {
  assert.deepEqual(parse('--', '--limit').words, ['--limit']);
});

test('an unknown flag is refused, and the message suggests the nearest flag', () => {
  assert.throws(() => parse('--limt', '5'), {
    code: 'ERR_UNKNOWN_OPTION',
    message: /no flag --limt; did you mean --limit\?/,
  });
  assert.throws(() => parse('-x'), { code: 'ERR_UNKNOWN_OPTION' });
});

test('names of object properties are not flags', () => {
  for (const name of ['constructor', 'toString', '__proto__', 'no-constructor']) {
    assert.throws(() => parse(`--${name}=1`), { code: 'ERR_UNKNOWN_OPTION' }, name);
  }
});

test('a missing value and a superfluous value have different messages', () => {
  assert.throws(() => parse('--limit'), { code: 'ERR_USAGE', message: /--limit needs a value: --limit <n>/ });
  assert.throws(() => parse('--json=yes'), { code: 'ERR_USAGE', message: /--json takes no value/ });
});

test('every option of a crawl is a flag whose help shows its default', () => {
  for (const name of OPTION_NAMES) assert.ok(CRAWL_FLAGS[flagName(name)], name);
  assert.match(CRAWL_FLAGS.timeout!.help, /\(default 60s\)/);
  assert.match(CRAWL_FLAGS['max-body']!.help, /\(default 10mb\)/);
});

test('refresh has a flag for every refresh option and for the crawl options that control requests', () => {
  const { flags } = refreshCommand.help;
  for (const name of REFRESH_OPTION_NAMES) assert.equal(flags[flagName(name)], REFRESH_FLAGS[flagName(name)], name);
  for (const name of ASKING_OPTIONS) assert.equal(flags[flagName(name)], CRAWL_FLAGS[flagName(name)], name);
  assert.equal(flags.scope, undefined, 'rules of the copy stay as in the crawl');
  assert.match(flags['max-interval']!.help, /\(default 30d\)/);
  assert.match(flags.every!.help, /\(default 15m\)/);
  assert.match(flags.keep!.help, /\(default all\)/);
});

test('the overview names every command, and every command has a help text', async () => {
  const { stdout } = await runCli('--help');
  const commands = [
    'crawl',
    'work',
    'refresh',
    'follow',
    'index',
    'search',
    'serve',
    'status',
    'explain',
    'links',
    'show',
    'history',
    'diff',
    'mcp',
    'watch',
    'verify',
    'recover',
    'export',
  ];
  assert.deepEqual(
    [...stdout.matchAll(/^ {2}(\w+) +\w/gm)].map(([, name]) => name),
    commands,
  );
  const history = await runCli('history', '--help');
  assert.match(history.stdout, /found the same content is counted, but leaves no\nresponse in the archive\./);
});
