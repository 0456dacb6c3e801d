/** Tests the conditions of `--when`: what they accept, on texts as pages write them, and on hostile ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCondition } from '../../../../src/crawl/delivery/when/condition.ts';
import { meets } from '../../../../src/crawl/delivery/when/meets.ts';
import { MAX_NUMBERS, numbersIn } from '../../../../src/crawl/delivery/when/numbers-in.ts';

const met = (condition: string, before: string | null, after: string) =>
  meets(parseCondition(condition), before, after);

test('numbers are read as people write them', () => {
  const read: readonly (readonly [text: string, values: readonly number[]])[] = [
    ['1299', [1299]],
    ['1,299.00 and 1.299,00', [1299, 1299]],
    ['1 299,50 €', [1299.5]],
    ['1\u00a0299\u00a0000 inhabitants', [1_299_000]],
    ["CHF 1'299.90", [1299.9]],
    ['1.299', [1299]],
    ['0.125', [0.125]],
    ['19,9', [19.9]],
    ['1.234.567', [1_234_567]],
    ['3 15', [3, 15]],
    ['12 3456', [12, 3456]],
    ['-5 and \u22127', [-5, -7]],
    ['A-4, 2024-11', [4, 2024, 11]],
    ['no number', []],
    ['9'.repeat(19), []],
  ];
  for (const [text, values] of read) {
    assert.deepEqual(
      numbersIn(text).map(({ value }) => value),
      values,
      text,
    );
  }
  assert.deepEqual(numbersIn('a 3 15 b 7'), [
    { value: 3, at: 2 },
    { value: 15, at: 4 },
    { value: 7, at: 9 },
  ]);
});

test('words are compared without regard to case and spaces', () => {
  const [before, after] = ['In stock.\nOrder now', 'SOLD\n  out. Order now'];
  assert.ok(met('contains: sold out', before, after));
  assert.ok(met('Contains:Sold  Out', before, after));
  assert.ok(!met('contains: sold out', after, before));
  assert.ok(met('lacks: in stock', before, after));
  assert.ok(met('appeared: sold out', before, after));
  assert.ok(!met('appeared: sold out', after, after));
  assert.ok(met('appeared: sold out', null, after), 'a new page');
  assert.ok(met('disappeared: in stock', before, after));
  assert.ok(!met('disappeared: in stock', null, after));
  assert.ok(met('contains: salt and pepper', null, 'With salt and pepper.'));
  assert.ok(met('contains: order and lacks: in stock', before, after));
  assert.ok(!met('contains: order and contains: in stock', before, after));
});

test('a number is compared where its name stands', () => {
  const page = (price: string) => `A chair\nWeight: 12 kg\nPrice: ${price} (was 240)`;
  assert.ok(met('price < 100', page('129,00 €'), page('99,00 €')));
  assert.ok(!met('price < 100', page('99 €'), page('129 €')));
  assert.ok(met('price <= 99', null, page('99.00')));
  assert.ok(met('price > 1000', null, page('1.299,00 €')));
  assert.ok(met('weight = 12 and price != 12', null, page('13')));
  assert.ok(!met('height < 100', null, page('13')), 'the page has no such number');
  assert.ok(met('number > 239', null, page('13')), 'any number');
  assert.ok(met('price < 100', null, 'Price information below. '.repeat(5) + page('99')));
});

test('a number that dropped or rose is recognised, also by a share', () => {
  const page = (price: string, visitors = 5) => `Price ${price} for ${visitors} visitors`;
  assert.ok(met('price dropped', page('100'), page('99')));
  assert.ok(!met('price dropped', page('99'), page('100')));
  assert.ok(met('price dropped 10 %', page('19.90'), page('17.91')));
  assert.ok(!met('price dropped by 10%', page('19.90'), page('17.92')));
  assert.ok(met('number dropped 10 %', page('100', 5), page('90', 6)));
  assert.ok(!met('number dropped 10 %', page('100', 5), page('95', 60)));
  assert.ok(met('price rose 5', page('100'), page('105')));
  assert.ok(met('price changed', page('100'), page('105')));
  assert.ok(!met('number changed', page('100'), page('100')));
  assert.ok(!met('price dropped', null, page('100')), 'a new page has no earlier price');
  assert.ok(!met('number dropped', 'a 5 b', 'a 3 and 4 b'), 'nobody knows which number follows which');
});

test('a text that is no condition is refused with an example', () => {
  for (const text of [
    '',
    'price',
    'price <',
    'price < cheap',
    'contains:',
    'foo: bar',
    'price < 5 and what',
    'x'.repeat(501),
  ]) {
    assert.throws(
      () => parseCondition(text),
      { code: 'ERR_BAD_OPTION', message: /write for example "price < 100"/ },
      text,
    );
  }
});

test('hostile pages cost linear time', () => {
  const conditions = ['price < 1', 'number dropped 10 %', 'appeared: a b', 'number = 7'].map(parseCondition);
  const units = ['1 ', '1', 'price ', 'price-', '1,', '1.1 ', '- ', '\u00a01', ' ', 'a b ', '999 999 '];
  const spent = (chars: number): number => {
    const start = process.cpuUsage();
    for (const unit of units) {
      const text = unit.repeat(chars / unit.length);
      for (const condition of conditions) meets(condition, `${text}2`, `${text}3`);
    }
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  spent(20_000);
  const [small, large] = [spent(20_000), spent(160_000)];
  assert.ok(large < 8 * 4 * Math.max(small, 20_000), `${small} µs and ${large} µs for eight times the text`);
  assert.equal(numbersIn('1 a '.repeat(50_000)).length, MAX_NUMBERS);
});
