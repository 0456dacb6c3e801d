import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPartMissing } from '../../../src/change/stored-difference.ts';
import { CpuBudget } from '../../../src/core/cpu-budget.ts';
import { resolveRefreshOptions } from '../../../src/core/options/refresh-options.ts';
import { type ClassifiedChange, describeChange } from '../../../src/crawl/unit/change/classify-change.ts';
import { noiseBookOf } from '../../../src/crawl/unit/change/noise-options.ts';
import { versionOf } from '../../../src/crawl/unit/change/version-of.ts';

const URL = 'http://shop.example/tea';

function judge(before: string, after: string, ...onlyIn: readonly string[]): ClassifiedChange {
  const options = resolveRefreshOptions([{ from: 'test', given: { onlyIn } }]);
  const rules = noiseBookOf(options).rulesFor('shop.example');
  const [was, is] = [before, after].map((html) => versionOf(Buffer.from(html), 'text/html; charset=utf-8', URL));
  return describeChange(was!, is!, rules, new CpuBudget());
}

const page = (price: string, news: string): string =>
  `<title>${news}</title><main><p>${news}</p><div class="price"><b>${price}</b></div></main>`;

test('with --only-in, only the selected part is content', () => {
  const only = 'shop.example|.price';
  assert.equal(judge(page('1', 'a'), page('2', 'a'), only).level, 'content');
  assert.equal(judge(page('1', 'a'), page('1', 'b'), only).level, 'layout');
  assert.equal(judge(page('1', 'a'), page('1', 'b'), 'other.example|.price').level, 'content');
  assert.equal(judge(page('1', 'a'), page('1', 'b'), only, '*|main > p').level, 'content');
});

test('a part that disappears or comes back is content, and the description says that it is missing', () => {
  const only = '*|.price';
  const without = '<title>a</title><main><p>a</p></main>';
  const gone = judge(page('1', 'a'), without, only);
  assert.deepEqual([gone.level, isPartMissing(gone.change!)], ['content', true]);
  const back = judge(without, page('1', 'a'), only);
  assert.deepEqual([back.level, isPartMissing(back.change!)], ['content', false]);
  const never = judge(without, without.replace('<p>a', '<p>b'), only);
  assert.deepEqual([never.level, isPartMissing(never.change!)], ['layout', true]);
});

test('a selector that cannot be read is refused with the name of its flag', () => {
  assert.throws(() => judge('a', 'b', '.price'), {
    code: 'ERR_BAD_OPTION',
    message: /--only-in needs "host\|selector"/,
  });
  assert.throws(() => judge('a', 'b', '*|.price:hover'), { code: 'ERR_BAD_OPTION', message: /":"/ });
});
