/** The calls that make URLs known or let them wait: seeds, lessons about parameters, deeper URLs, another topic. */
import {
  type FoundUrl,
  PARAMETER_VERDICTS,
  type ParameterLesson,
  type ParameterVerdict,
  type PatternUse,
  type Store,
} from '../../contract.ts';
import { MAX_TOLD } from '../../rules/parameter-rules.ts';
import { patternKey } from '../../rules/pattern-budget-rule.ts';
import { numbers } from '../connection/arrays.ts';
import type { Engine } from '../engine.ts';
import { fillBudgets } from './admit-left-out.ts';
import { type PatternRow, toUse, usesOf } from './pattern-budgets.ts';
import { allowDepth, dropLessons, forgetTopic, letWait } from './release-skipped.ts';

export class Known
  implements
    Pick<
      Store,
      'seed' | 'lessons' | 'dropLessons' | 'allowDepth' | 'letWait' | 'forgetTopic' | 'fillBudgets' | 'patternUse'
    >
{
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async seed(found: readonly FoundUrl[], nowMs: number): Promise<readonly number[]> {
    const finds = found.map((each) => ({ found: each, via: null }));
    const { ids } = await this.#engine.discovery.makeKnown(finds, { patternBudget: Infinity, nowMs, areNamed: true });
    return found.map((each) => ids.get(each)!);
  }

  async lessons(verdicts: readonly ParameterVerdict[], host?: string): Promise<readonly ParameterLesson[]> {
    const { db } = this.#engine;
    const places = numbers(verdicts.map((verdict) => PARAMETER_VERDICTS.indexOf(verdict)));
    const lesson = `SELECT h.host, p.space, p.name, p.verdict, p.pairs, p.pages, p.audits,
        (SELECT u.url FROM ${db.schema}.urls u WHERE u.id = p.contradicted_by) AS "contradictedBy"
      FROM ${db.schema}.parameters p JOIN ${db.schema}.hosts h ON h.id = p.host_id
      WHERE p.verdict = ANY($1::smallint[])`;
    const rows =
      host === undefined
        ? (await db.all(`${lesson} ORDER BY p.id DESC LIMIT ${MAX_TOLD}`, [places])).toReversed()
        : await db.all(`${lesson} AND h.host = $2 ORDER BY p.id`, [places, host]);
    return rows.map((row) => ({ ...row, verdict: PARAMETER_VERDICTS[row.verdict]! }) as unknown as ParameterLesson);
  }

  dropLessons(nowMs: number): Promise<number> {
    return dropLessons(this.#engine, nowMs);
  }

  allowDepth(depth: number, nowMs: number): Promise<number> {
    return allowDepth(this.#engine, depth, nowMs);
  }

  letWait(...[reason, nowMs]: Parameters<Store['letWait']>): Promise<number> {
    return letWait(this.#engine, reason, nowMs);
  }

  fillBudgets(patternBudget: number, nowMs: number): Promise<number> {
    const { db, slot } = this.#engine;
    return fillBudgets(db, { patternBudget, slot, nowMs });
  }

  async patternUse(host: string, pattern: string): Promise<PatternUse | null> {
    const { db } = this.#engine;
    const [row] = await db.all<PatternRow>(
      `${usesOf(db.schema, `${db.schema}.patterns`)}
       WHERE p.host_id = (SELECT id FROM ${db.schema}.hosts WHERE host = $1) AND p.pattern = decode($2, 'hex')`,
      [host, patternKey(pattern)],
    );
    return row === undefined ? null : toUse(row);
  }

  forgetTopic(nowMs: number): Promise<number> {
    return forgetTopic(this.#engine, nowMs);
  }
}
