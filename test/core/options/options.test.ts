import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CRAWL_OPTIONS,
  flagName,
  OPTION_NAMES,
  optionNamed,
  optionsFromEnvironment,
  resolveOptions,
} from '../../../src/core/options/options.ts';

test('a flag overrides the environment, which overrides the file, which overrides the default', () => {
  const flags = { from: 'flag', given: { depth: '1' } };
  const env = { from: 'environment', given: optionsFromEnvironment({ ORBWEAVER_DEPTH: '2', ORBWEAVER_LIMIT: '20' }) };
  const file = { from: 'file', given: { depth: 3, limit: 30, perHost: 4 } };
  const { depth, limit, perHost, units } = resolveOptions([flags, env, file]);
  assert.deepEqual({ depth, limit, perHost, units }, { depth: 1, limit: 20, perHost: 4, units: 0 });
});

test('false and zero are values that override the default', () => {
  const { http2, depth, assets } = resolveOptions([
    { from: 'flag', given: { http2: false, depth: 0 } },
    { from: 'file', given: { http2: true, depth: 5, assets: 'yes' } },
  ]);
  assert.deepEqual([http2, depth, assets], [false, 0, true]);
});

test('without any source all options have their defaults and are frozen', () => {
  const options = resolveOptions([]);
  for (const name of OPTION_NAMES) assert.deepEqual(options[name], CRAWL_OPTIONS[name].default);
  assert.throws(() => {
    (options as { depth: number }).depth = 3;
  }, TypeError);
});

test('the parser of an option accepts its default', () => {
  for (const name of OPTION_NAMES) {
    const { parse, default: value } = CRAWL_OPTIONS[name];
    if (value === null) continue;
    const written = parse.hint.startsWith('<time>') ? `${value}ms` : value;
    assert.deepEqual(parse(written), value, name);
  }
});

test('an invalid value is refused with the flag, the valid values, the given value and its source', () => {
  const resolve = () => resolveOptions([{ from: 'config.yaml', given: { maxBody: 'big' } }]);
  assert.throws(resolve, {
    code: 'ERR_BAD_OPTION',
    message: '--max-body needs a size such as 500kb or 10mb, not "big" (config.yaml)',
  });
});

test('the value of a weaker source is not parsed if a stronger source has the option', () => {
  const sources = [
    { from: 'flag', given: { depth: '1' } },
    { from: 'file', given: { depth: 'nonsense' } },
  ];
  assert.equal(resolveOptions(sources).depth, 1);
});

test('flags, environment variables and keys are derived from the option name', () => {
  assert.deepEqual(['maxBody', 'http2', 'ignoreRobots', 'limit'].map(flagName), [
    'max-body',
    'http2',
    'ignore-robots',
    'limit',
  ]);
  for (const name of OPTION_NAMES) {
    const variable = `ORBWEAVER_${flagName(name).replaceAll('-', '_').toUpperCase()}`;
    assert.deepEqual(optionsFromEnvironment({ [variable]: 'x' }), { [name]: 'x' });
    assert.equal(optionNamed(flagName(name), 'here'), name);
    assert.equal(optionNamed(name, 'here'), name);
  }
});

test('environment variables of other programs are ignored', () => {
  assert.deepEqual(optionsFromEnvironment({ PATH: '/bin', XORBWEAVER_DEPTH: '1', ORBWEAVER_DEPTH: undefined }), {});
});

test('an unknown name is refused, and the message suggests the nearest one', () => {
  assert.throws(() => optionNamed('max-boddy', 'config.yaml'), {
    code: 'ERR_UNKNOWN_OPTION',
    message: 'config.yaml: there is no option "max-boddy"; did you mean max-body?',
  });
  assert.throws(() => optionsFromEnvironment({ ORBWEAVER_DEPHT: '3' }), {
    code: 'ERR_UNKNOWN_OPTION',
    message: 'environment variable ORBWEAVER_DEPHT: there is no option "depht"; did you mean depth?',
  });
  assert.throws(() => optionNamed('zzzzzzzz', 'here', 'ERR_CONFIG'), {
    code: 'ERR_CONFIG',
    message: 'here: there is no option "zzzzzzzz"',
  });
  assert.throws(() => optionNamed('__proto__', 'here'), { code: 'ERR_UNKNOWN_OPTION' });
});
