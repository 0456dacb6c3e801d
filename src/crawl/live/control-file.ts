/**
 * The file `control.json` in a data folder: what the web interface asks of the run in this folder. The interface writes
 * it, the run reads it twice a second, and the next run reads it at its start.
 *
 * What always holds: an order is on the disk before the interface confirms it, so that neither a crash of the interface
 * nor one of the run loses it. New values of rules stay in the file until a run has stored them with the crawl.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { FILE_MODES } from '../../core/file-modes.ts';
import { isChangeable } from '../../core/options/changeable-rules.ts';
import type { OptionSource } from '../../core/options/option-table.ts';
import { syncFolderSync } from '../../core/sync-folder.ts';

const CONTROL_FILE = 'control.json';
const MAX_BYTES = 1_000_000;

export type ControlAction = 'pause' | 'stop';

export interface ControlState {
  /** Grows with each order. */
  readonly number: number;
  /** Null: the run may go on. */
  readonly action: ControlAction | null;
  /** New values of rules, as a configuration file has them, that no run has stored yet. */
  readonly rules: Readonly<Record<string, unknown>>;
}

const NOTHING: ControlState = { number: 0, action: null, rules: {} };

export function readControl(dir: string): ControlState {
  try {
    const path = join(dir, CONTROL_FILE);
    if (statSync(path).size > MAX_BYTES) return NOTHING;
    const { number, action, rules } = JSON.parse(readFileSync(path, 'utf8')) as Partial<ControlState>;
    return {
      number: Number.isSafeInteger(number) ? number! : 0,
      action: action === 'pause' || action === 'stop' ? action : null,
      // The folder may come from a stranger, so the file can change no other rules.
      rules: Object.fromEntries(Object.entries(rules ?? {}).filter(([name]) => isChangeable(name))),
    };
  } catch {
    return NOTHING;
  }
}

export function writeControl(dir: string, state: ControlState): void {
  const path = join(dir, CONTROL_FILE);
  const draft = `${path}.${process.pid}.new`;
  const fd = openSync(draft, 'w', FILE_MODES.nobody);
  try {
    writeSync(fd, JSON.stringify(state));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, path);
  syncFolderSync(dir);
}

/** The new rules as a source of options. It is stronger than the stored rules and weaker than what the user typed. */
export function controlSource({ rules }: ControlState): OptionSource {
  return { from: 'web interface', given: rules };
}

/** Called when a run has stored the rules of this state. A newer order stays. */
export function settleControl(dir: string, settled: ControlState): void {
  const now = readControl(dir);
  const rules = Object.fromEntries(
    Object.entries(now.rules).filter(([name, value]) => JSON.stringify(settled.rules[name]) !== JSON.stringify(value)),
  );
  const action = now.number === settled.number ? null : now.action;
  const isSame = action === now.action && Object.keys(rules).length === Object.keys(now.rules).length;
  if (!isSame) writeControl(dir, { number: now.number, action, rules });
}
