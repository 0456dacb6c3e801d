import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  delayMs,
  durationMs,
  flag,
  list,
  oneOf,
  share,
  sizeBytes,
  text,
  wholeNumber,
} from '../../../src/core/options/option-values.ts';

function refuses(parse: (given: unknown) => unknown, bad: readonly unknown[], message: RegExp): void {
  for (const given of bad) assert.throws(() => parse(given), { name: 'Error', message }, JSON.stringify(given));
}

test('a text option accepts texts and numbers', () => {
  assert.equal(text('x y'), 'x y');
  assert.equal(text(12), '12');
  refuses(text, ['', null, undefined, true, ['x'], {}], /^needs a text$/);
});

test('a switch accepts true and false in several spellings', () => {
  for (const yes of [true, 'true', '1', 'yes']) assert.equal(flag(yes), true);
  for (const no of [false, 'false', '0', 'no']) assert.equal(flag(no), false);
  refuses(flag, ['', 'maybe', 2, null, 'TRUE '], /^must be true or false$/);
});

test('a whole number must be within its limits', () => {
  const parse = wholeNumber(1, 5_000);
  assert.deepEqual(['1', 5_000, '1_000', ' 7 '].map(parse), [1, 5_000, 1_000, 7]);
  refuses(
    parse,
    ['0', 5_001, '1.5', 2.5, '', ' ', 'ten', null, true, [], {}, Number.NaN],
    /^needs a whole number from 1 to 5000, not "/,
  );
  assert.throws(() => parse('ten'), { message: 'needs a whole number from 1 to 5000, not "ten"' });
});

test('a choice accepts only the listed words', () => {
  const parse = oneOf(['page', 'host']);
  assert.equal(parse('host'), 'host');
  assert.equal(parse.hint, 'page|host');
  refuses(parse, ['Host', '', null, 0, ['host']], /^must be one of page, host, not "/);
});

test('a share is a number up to 1 or a percentage', () => {
  assert.deepEqual(
    [share('0.3'), share('30%'), share(0.3), share(0), share('1'), share('.5')],
    [0.3, 0.3, 0.3, 0, 1, 0.5],
  );
  refuses(
    share,
    ['1.1', '101%', '-0.1', 'half', '', null, Number.NaN],
    /^needs a share from 0 to 1, such as 0.8, not "/,
  );
});

test('a list accepts one value or several', () => {
  assert.deepEqual(list('a'), ['a']);
  assert.deepEqual(list(['a', 1]), ['a', '1']);
  assert.deepEqual(list([]), []);
  refuses(list, ['', [''], [null], null], /^needs a text$/);
});

test('a time without a unit means seconds', () => {
  assert.deepEqual(
    ['250ms', '30s', '1.5m', '2h', '1d', '20', 20, ' 5 s '].map(durationMs),
    [250, 30_000, 90_000, 7_200_000, 86_400_000, 20_000, 20_000, 5_000],
  );
  refuses(
    durationMs,
    ['', 'soon', '-1s', '5 weeks', '1e3', null, '.5s', `${'1'.repeat(999)}x`],
    /^needs a time such as/,
  );
  refuses(durationMs, ['366d', '9'.repeat(400)], /^is longer than a year$/);
});

test('a delay may be auto', () => {
  assert.equal(delayMs('auto'), null);
  assert.equal(delayMs('0'), 0);
  refuses(delayMs, ['Auto', 'never'], /^needs a time such as 500ms, 30s or 5m, not "/);
});

test('a size without a unit means bytes', () => {
  assert.deepEqual(
    ['500kb', '10MB', '1gb', '12', 12, '1.5 kb', '7b'].map(sizeBytes),
    [500_000, 10_000_000, 1_000_000_000, 12, 12, 1_500, 7],
  );
  refuses(sizeBytes, ['', 'big', '-1', '1tb', null], /^needs a size such as 500kb or 10mb, not "/);
  refuses(sizeBytes, ['0', '0.1', '1001gb', '9'.repeat(400)], /^needs a size from 1 byte to 1000 GB$/);
});
