/**
 * Two files in a data folder, through which the web interface and the run in this folder talk. `control.json` has what
 * the interface asks; only the interface writes it. `control-settled.json` has the number of the last order that a run
 * has carried out; only the run writes it. The run reads orders twice a second, and the next run at its start.
 *
 * What always holds: an order is on the disk before the interface confirms it, so that neither a crash of the interface
 * nor one of the run loses it. A new value of a rule counts until a run has stored it with the crawl.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isChangeable } from '../../core/options/changeable-rules.ts';
import type { OptionSource } from '../../core/options/option-table.ts';
import { replaceFileSync } from '../place/replace-file.ts';

const CONTROL_FILE = 'control.json';
const SETTLED_FILE = 'control-settled.json';
const MAX_BYTES = 1_000_000;

export type ControlAction = 'pause' | 'stop';

export interface ControlState {
  /** The number of the newest order. Numbers only grow. */
  readonly number: number;
  /** Null: the run may go on. */
  readonly action: ControlAction | null;
  /** New values of rules, as a configuration file has them, that no run has stored yet. */
  readonly rules: Readonly<Record<string, unknown>>;
}

/** What the interface asks. */
export type Order = Partial<Pick<ControlState, 'action' | 'rules'>>;

/** The form of the file: each rule has the number of the order that changed it. */
interface StoredOrders {
  readonly number: number;
  readonly action: ControlAction | null;
  readonly rules: Readonly<Record<string, { readonly value: unknown; readonly number: number }>>;
}

export function readControl(dir: string): ControlState {
  const { number, action, rules } = readOrders(dir);
  const settled = numberIn(readJson(join(dir, SETTLED_FILE)));
  const waiting = Object.entries(rules).filter(([, rule]) => rule.number > settled);
  return {
    number,
    action: number > settled ? action : null,
    rules: Object.fromEntries(waiting.map(([name, { value }]) => [name, value])),
  };
}

/** The order is on the disk when this returns. An order without an action lets a paused crawl go on. */
export function giveOrder(dir: string, { action = null, rules = {} }: Order): void {
  const before = readOrders(dir);
  const number = Math.max(before.number, numberIn(readJson(join(dir, SETTLED_FILE)))) + 1;
  const changed = Object.entries(rules).map(([name, value]) => [name, { value, number }]);
  const stored: StoredOrders = { number, action, rules: { ...before.rules, ...Object.fromEntries(changed) } };
  replaceFileSync(dir, CONTROL_FILE, JSON.stringify(stored));
}

/** The new rules as a source of options. It is stronger than the stored rules and weaker than what the user typed. */
export function controlSource({ rules }: ControlState): OptionSource {
  return { from: 'web interface', given: rules };
}

/** Called when a run has stored the rules of this state. An order that came since has a larger number, and stays. */
export function settleControl(dir: string, { number }: ControlState): void {
  if (number > numberIn(readJson(join(dir, SETTLED_FILE))))
    replaceFileSync(dir, SETTLED_FILE, JSON.stringify({ number }));
}

/** The folder may come from a stranger, so only rules that the interface may change are read. */
function readOrders(dir: string): StoredOrders {
  const stored = readJson(join(dir, CONTROL_FILE)) as Partial<StoredOrders>;
  const rules = Object.entries(fieldsOf(stored.rules)).filter(
    ([name, rule]) => isChangeable(name) && Number.isSafeInteger(fieldsOf(rule).number),
  );
  return {
    number: numberIn(stored),
    action: stored.action === 'pause' || stored.action === 'stop' ? stored.action : null,
    rules: Object.fromEntries(rules) as StoredOrders['rules'],
  };
}

function numberIn(stored: Readonly<Record<string, unknown>>): number {
  return Number.isSafeInteger(stored.number) && (stored.number as number) > 0 ? (stored.number as number) : 0;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : {};
}

function readJson(path: string): Readonly<Record<string, unknown>> {
  try {
    return statSync(path).size > MAX_BYTES ? {} : fieldsOf(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return {};
  }
}
