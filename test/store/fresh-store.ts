/** Stores and folders that belong to one test and are removed after it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Store } from '../../src/store/contract.ts';

export type OpenStore = (dir: string, nowMs: number) => Store | Promise<Store>;

export function temporaryFolder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-store-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A store for one test, closed at the end of the test. */
export async function freshStore(t: TestContext, open: OpenStore, nowMs: number): Promise<Store> {
  const store = await open(temporaryFolder(t), nowMs);
  t.after(() => store.close());
  return store;
}
