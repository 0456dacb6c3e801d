/** Inserts the rows of new URLs, unless another worker has made them known meanwhile. */
import type { Reason } from '../../../core/reasons.ts';
import { type FoundUrl, URL_STATES } from '../../contract.ts';
import { OVER_BUDGET, patternKey } from '../../rules/pattern-budget-rule.ts';
import type { Tally } from '../../rules/tally.ts';
import { bytes, numbers, plainTexts, texts } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';
import type { Place } from './finds.ts';
import { withoutAbandoned } from './guesses.ts';
import { inOrder, lookUp } from './look-up.ts';
import { PatternBudgets } from './pattern-budgets.ts';

const SKIPPED = URL_STATES.indexOf('skipped');

export interface NewUrl {
  readonly place: Place;
  readonly id: number;
  /** The values of the new row. */
  readonly found: FoundUrl;
  /** The stand-in of the URL, or a possible stand-in. */
  readonly standIn: number | null;
}

type Located = NewUrl & Pick<Place, 'name' | 'hostId'>;

/** Returns the URLs that were written, as they were judged. */
export async function insertUrls(
  session: Session,
  schema: string,
  urls: readonly NewUrl[],
  { patternBudget, tally }: { readonly patternBudget: number; readonly tally: Tally },
): Promise<readonly NewUrl[]> {
  const open = await withoutAbandoned(session, schema, urls);
  const located = open.map((url): Located => ({ ...url, name: url.place.name, hostId: url.place.hostId }));
  const budgets = new PatternBudgets(session, schema);
  // All counts are locked before any URL is written. This avoids a
  // deadlock between two workers that find the same URLs.
  const patterned = located.filter(isHeld);
  const met = new Set<string>();
  if (patterned.length > 0) {
    await budgets.hold(patterned);
    // The worker that held the counts before may have made some of these URLs known. They must not be counted again.
    const places = patterned.map(({ place }) => place);
    for (const { place } of await lookUp(session, schema, places)) met.add(place.name);
  }
  /** What the budgets said about each URL. */
  const verdicts = new Map<string, Reason | null>();
  const judged = located
    .filter(({ name }) => !met.has(name))
    .map((url) => {
      if (!isHeld(url)) return url;
      const skip = budgets.judge(url, patternBudget);
      verdicts.set(url.name, skip);
      return skip === null ? url : { ...url, found: { ...url.found, skip } };
    });
  const written = await insertRows(session, schema, inOrder(judged));
  for (const url of judged) {
    const { name, hostId, found } = url;
    if (written.has(name)) tally.enters(hostId, found.skip === null ? 'waiting' : 'skipped', found.skip);
    else if (verdicts.has(name)) budgets.takeBack(url, verdicts.get(name)!);
  }
  await budgets.write();
  return judged.filter(({ name }) => written.has(name));
}

function isHeld({ found }: NewUrl): boolean {
  return found.pattern !== null && found.skip === null;
}

async function insertRows(session: Session, schema: string, urls: readonly Located[]): Promise<ReadonlySet<string>> {
  if (urls.length === 0) return new Set();
  const column = <T>(pick: (url: Located) => T): T[] => urls.map(pick);
  const rows = await session.all(
    `INSERT INTO ${schema}.urls
       (id, host_id, key, state, depth, rank, relevance, inherited, steps_off, hops, via, reason, url, original, stand_in,
       pattern)
     SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::uuid[], $4::smallint[], $5::integer[], $6::double precision[],
       $7::double precision[], $8::double precision[], $9::integer[], $10::smallint[], $11::bigint[], $12::text[],
       $13::text[], $14::text[], $15::bigint[], $16::bytea[])
     ON CONFLICT DO NOTHING RETURNING id`,
    [
      numbers(column(({ id }) => id)),
      numbers(column(({ hostId }) => hostId)),
      plainTexts(column(({ found }) => found.key)),
      numbers(column(({ found }) => (found.skip === null ? 0 : SKIPPED))),
      numbers(column(({ found }) => found.depth)),
      numbers(column(({ found }) => found.rank)),
      numbers(column(({ found }) => found.relevance)),
      numbers(column(({ found }) => found.trail?.inherited ?? null)),
      numbers(column(({ found }) => found.trail?.stepsOff ?? null)),
      numbers(column(({ found }) => found.hops)),
      numbers(column(({ place }) => place.via)),
      texts(column(({ found }) => found.skip)),
      texts(column(({ found }) => found.url)),
      texts(column(({ found }) => found.original)),
      numbers(column(({ standIn }) => standIn)),
      bytes(
        column(({ found }) => (found.skip === OVER_BUDGET ? Buffer.from(patternKey(found.pattern!), 'hex') : null)),
      ),
    ],
  );
  const ids = new Set(rows.map(({ id }) => id));
  return new Set(urls.filter(({ id }) => ids.has(id)).map(({ name }) => name));
}
