import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BudgetSpent, CpuBudget } from '../../src/core/cpu-budget.ts';

/** Uses this much CPU time of the thread, however busy the machine is. */
function work(ms: number): void {
  const started = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(started);
    if (user + system >= ms * 1_000) return;
  }
}

test('the first check after the budget is spent throws, within and between pieces of work', () => {
  const budget = new CpuBudget(20);
  budget.check();
  const spend = () => {
    budget.check();
    work(30);
    budget.check();
  };
  assert.throws(() => budget.run(spend), BudgetSpent);
  assert.equal(budget.isSpent(), true);
  assert.throws(() => budget.check(), BudgetSpent);
});

test('pieces of work add up, and the time between them does not count', () => {
  const budget = new CpuBudget(100);
  assert.equal(
    budget.run(() => 'done'),
    'done',
  );
  work(150);
  assert.equal(budget.isSpent(), false);
  budget.run(() => work(60));
  assert.equal(budget.isSpent(0.5), true);
  assert.throws(() => budget.check(0.5), BudgetSpent);
  budget.run(() => work(60));
  assert.equal(budget.isSpent(), true);
});
