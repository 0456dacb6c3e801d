import assert from 'node:assert/strict';
import { test } from 'node:test';
import { optionsFromEnvironment, resolveOptions } from '../../../src/core/options/options.ts';

const read = (given: unknown) => resolveOptions([{ from: 'test', given: { allowPrivate: given } }]).allowPrivate;

test('--allow-private accepts a word, a text with commas or a list from any source', () => {
  for (const yes of [true, 'true', 'yes', '1', 'TRUE', [true], ['true']]) assert.equal(read(yes), true, String(yes));
  for (const no of [false, 'false', 'no', '0', [false]]) assert.equal(read(no), false, String(no));
  assert.equal(read(undefined), null);
  assert.deepEqual(read('10.0.0.0/8, intranet'), ['10.0.0.0/8', 'intranet']);
  assert.deepEqual(read(['10.0.0.0/8', 'intranet', 'intranet']), ['10.0.0.0/8', 'intranet']);
  assert.deepEqual(read([]), []);
  const given = optionsFromEnvironment({ ORBWEAVER_ALLOW_PRIVATE: '10.0.0.0/8,fe80::1' });
  assert.deepEqual(resolveOptions([{ from: 'environment', given }]).allowPrivate, ['10.0.0.0/8', 'fe80::1']);
});

test('hosts are converted to the form that they have in URLs', () => {
  for (const [written, expected] of [
    ['0x7f.1', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['[FD00::0001]', 'fd00::1'],
    ['::FFFF:10.0.0.1', '::ffff:a00:1'],
    ['[fd00::]/8', 'fd00::/8'],
    ['Bücher.Example.', 'xn--bcher-kva.example'],
  ] as const) {
    assert.deepEqual(read([written]), [expected]);
  }
});

test('a text that is neither a host nor a network is refused', () => {
  const wrong = ['', ' ', 'a b', 'http://a.test', 'a.test/', 'a.test:80', '10.0.0.1:80', '10.0.0.0/33', '::/129'];
  for (const given of [...wrong, '10.0.0/8', 'a.test/8', '*', '*.a.test', 'fe80::1%eth0', 'fe80::%1/64', '-x', 'a@b']) {
    assert.throws(
      () => read([given]),
      { code: 'ERR_BAD_OPTION', message: /^--allow-private needs addresses, networks/ },
      given,
    );
  }
  for (const given of [
    [true, '10.0.0.1'],
    ['10.0.0.1', true],
  ]) {
    assert.throws(() => read(given), { message: /without a value, which allows all addresses, and also with hosts/ });
  }
  for (const given of [null, 7, {}, [null], [['10.0.0.1']]])
    assert.throws(() => read(given), { code: 'ERR_BAD_OPTION' });
});
