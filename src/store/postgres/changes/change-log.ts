/**
 * What happened to pages, one row each, under a number that only grows.
 *
 * Always: numbers are given in the order in which commits end, whoever sends them. They are taken as the last thing of a
 * transaction, one transaction at a time, so whoever has read up to a number never misses a smaller one that came later.
 */
import type { Reason } from '../../core/reasons.ts';
import { CHANGE_KINDS, type ChangeKind } from '../contract.ts';
import { numbers, texts } from './arrays.ts';
import { takeTurn } from './turns.ts';
import type { WorkingSet } from './working-set.ts';

interface Entry {
  readonly part: number;
  readonly id: number;
  readonly atMs: number;
  readonly kind: ChangeKind;
  readonly title: string;
  readonly reason: Reason | null;
  readonly change: string | null;
}

export class ChangeLog {
  readonly #set: WorkingSet;
  readonly #entries: Entry[] = [];

  constructor(set: WorkingSet) {
    this.#set = set;
  }

  add(
    part: number,
    id: number,
    kind: ChangeKind,
    atMs: number,
    title: string,
    reason: Reason | null = null,
    change: string | null = null,
  ): void {
    this.#entries.push({ part, id, atMs, kind, title, reason, change });
  }

  /** The last thing before the end: others wait for it. */
  async write(): Promise<void> {
    if (this.#entries.length === 0) return;
    const { session, schema, parts } = this.#set;
    const entries = this.#entries.splice(0);
    const [, taken] = await Promise.all([
      takeTurn(session, schema, 'numbering', 'alone'),
      session.all(`SELECT nextval('${schema}.change_seqs') AS seq FROM generate_series(1, $1)`, [entries.length]),
    ]);
    const numbered = entries.map((entry, i) => ({ ...entry, seq: taken[i]!.seq as number }));
    await Promise.all(parts.group(numbered, ({ part }) => part).map(([part, some]) => this.#insert(part, some)));
  }

  #insert(part: number, entries: readonly (Entry & { readonly seq: number })[]): Promise<number> {
    const { session, schema } = this.#set;
    return session.run(
      `INSERT INTO ${schema}.changes (part, seq, url_id, at, kind, reason, title, change)
       SELECT $1::smallint, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::smallint[], $6::text[], $7::text[], $8::text[])`,
      [
        part,
        numbers(entries.map(({ seq }) => seq)),
        numbers(entries.map(({ id }) => id)),
        numbers(entries.map(({ atMs }) => Math.ceil(atMs))),
        numbers(entries.map(({ kind }) => CHANGE_KINDS.indexOf(kind))),
        texts(entries.map(({ reason }) => reason)),
        texts(entries.map(({ title }) => title)),
        texts(entries.map(({ change }) => change)),
      ],
    );
  }
}
