/** Inserts the rows of new URLs, unless another worker has made them known meanwhile. */
import { type FoundUrl, URL_STATES } from '../../contract.ts';
import type { Tally } from '../../rules/tally.ts';
import { numbers, plainTexts, texts } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';
import type { Parts } from '../rows/parts.ts';
import type { Place } from './finds.ts';
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

/** Returns the names of the URLs that were written. */
export async function insertUrls(
  session: Session,
  schema: string,
  parts: Parts,
  urls: readonly NewUrl[],
  { patternBudget, tally }: { readonly patternBudget: number; readonly tally: Tally },
): Promise<ReadonlySet<string>> {
  const byPart = parts
    .group(urls, ({ place }) => parts.ofHost(place.hostId))
    .map(([part, some]) => {
      const located = some.map((url): Located => ({ ...url, name: url.place.name, hostId: url.place.hostId }));
      const table = parts.leaf(schema, 'urls', part);
      return { part, located, table, budgets: new PatternBudgets(session, schema, part), counted: new Set<string>() };
    });
  // All counts are locked before any URL is written. This avoids a
  // deadlock between two workers that find the same URLs.
  const wanted = await Promise.all(
    byPart.map(async ({ part, located, table, budgets, counted }) => {
      const patterned = located.filter(isHeld);
      if (patterned.length === 0) return located;
      await budgets.hold(patterned);
      // The worker that held the counts before may have made some of these URLs known. They must not be counted again.
      const places = patterned.map(({ place }) => place);
      const met = new Set((await lookUp(session, table, part, places)).map(({ place }) => place.name));
      return located
        .filter(({ name }) => !met.has(name))
        .map((url) => {
          if (!isHeld(url)) return url;
          counted.add(url.name);
          const skip = budgets.judge(url, patternBudget);
          return skip === null ? url : { ...url, found: { ...url.found, skip } };
        });
    }),
  );
  const written = await insertRows(
    session,
    schema,
    byPart.map(({ part }, at) => [part, inOrder(wanted[at]!)] as const),
  );
  await Promise.all(
    byPart.map(async ({ budgets, counted }, at) => {
      for (const url of wanted[at]!) {
        const { name, hostId, found } = url;
        if (written.has(name)) tally.enters(hostId, found.skip === null ? 'waiting' : 'skipped', found.skip);
        else if (counted.has(name)) budgets.takeBack(url);
      }
      await budgets.write();
    }),
  );
  return written;
}

function isHeld({ found }: NewUrl): boolean {
  return found.pattern !== null && found.skip === null;
}

/** Inserts the rows of all parts: PostgreSQL puts each row into its partition. */
async function insertRows(
  session: Session,
  schema: string,
  byPart: readonly (readonly [part: number, urls: readonly Located[]])[],
): Promise<ReadonlySet<string>> {
  const urls = byPart.flatMap(([, some]) => some);
  if (urls.length === 0) return new Set();
  const column = <T>(pick: (url: Located) => T): T[] => urls.map(pick);
  const rows = await session.all(
    `INSERT INTO ${schema}.urls
       (part, id, host_id, key, state, depth, rank, relevance, inherited, steps_off, hops, via, reason, url, original, stand_in)
     SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::uuid[], $5::smallint[], $6::integer[],
       $7::double precision[], $8::double precision[], $9::double precision[], $10::integer[], $11::smallint[], $12::bigint[],
       $13::text[], $14::text[], $15::text[], $16::bigint[])
     ON CONFLICT DO NOTHING RETURNING id`,
    [
      numbers(byPart.flatMap(([part, some]) => some.map(() => part))),
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
    ],
  );
  const ids = new Set(rows.map(({ id }) => id));
  return new Set(urls.filter(({ id }) => ids.has(id)).map(({ name }) => name));
}
