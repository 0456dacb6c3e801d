import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { assembleKernel, listKernels } from '../../build/assemble-kernels.ts';

test('the committed bytes of every kernel are those of its text', async () => {
  const kernels = listKernels();
  assert.ok(kernels.length >= 2);
  for (const kernel of kernels) {
    const hint = `${kernel.target} is out of date: run node build/assemble-kernels.ts`;
    assert.equal(readFileSync(kernel.target, 'utf8'), await assembleKernel(kernel), hint);
  }
});
