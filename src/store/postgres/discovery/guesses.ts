/**
 * Counts the guesses of each host, and leaves guesses out where most of them were wrong (rules/guess-rule.ts). The
 * counts are rows of the table of path patterns.
 *
 * The partner for SQLite is store/sqlite/discovery/discovery.ts; the shared contract test is
 * test/store/contract/guesses.ts.
 */
import { asGuess, asTrial, isGuess } from '../../../url/traps/sitemap-chain.ts';
import { URL_STATES } from '../../contract.ts';
import {
  ABANDONED,
  type AbandonedGuess,
  abandonsGuesses,
  countAbandoned,
  GUESSES_ASKED,
  GUESSES_FAILED,
  type GuessCounts,
} from '../../rules/guess-rule.ts';
import { patternKey } from '../../rules/pattern-budget-rule.ts';
import type { Tally } from '../../rules/tally.ts';
import { bytes, numbers } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';
import type { Row } from '../connection/session.ts';
import type { KnownUrl } from './look-up.ts';
import type { NewUrl } from './new-urls.ts';

const SKIPPED = URL_STATES.indexOf('skipped');
const KEYS = [GUESSES_ASKED, GUESSES_FAILED].map(patternKey);

/** Returns the URLs; guesses about hosts where most guesses were wrong are skipped. */
export async function withoutAbandoned(session: Session, schema: string, urls: readonly NewUrl[]): Promise<NewUrl[]> {
  const isOpenGuess = ({ found }: NewUrl) => isGuess(found.hops) && found.skip === null;
  const hostIds = new Set(urls.filter(isOpenGuess).map(({ place }) => place.hostId));
  if (hostIds.size === 0) return [...urls];
  const rows = await session.all(
    `SELECT host_id, encode(pattern, 'hex') AS pattern, count FROM ${schema}.patterns
     WHERE host_id = ANY($1::bigint[]) AND pattern = ANY($2::bytea[])`,
    [numbers(hostIds), bytes(KEYS.map((key) => Buffer.from(key, 'hex')))],
  );
  const countsOf = countsIn(rows);
  return urls.map((url) => {
    const isLeftOut = isOpenGuess(url) && abandonsGuesses(countsOf(url.place.hostId));
    return isLeftOut ? { ...url, found: { ...url.found, skip: ABANDONED } } : url;
  });
}

/** Guesses and trials that are now found as links. The caller must have locked their hosts. */
export async function confirm(session: Session, schema: string, urls: readonly KnownUrl[]): Promise<void> {
  if (urls.length === 0) return;
  const sorted = urls.toSorted((a, b) => a.id - b.id);
  await session.run(
    `UPDATE ${schema}.urls u SET hops = n.hops FROM unnest($1::bigint[], $2::smallint[]) AS n(id, hops)
     WHERE u.id = n.id AND u.hops >= ${asTrial(0)}`,
    [numbers(sorted.map(({ id }) => id)), numbers(sorted.map(({ place }) => place.open!.hops))],
  );
}

/** The answers to guesses in one commit, by host. */
export class GuessAnswers {
  readonly #hosts = new Map<number, { asked: number; failed: number }>();
  /** For the receipt. */
  readonly abandoned = new Map<number, number>();

  add(hostId: number, isWrong: boolean, tally: Tally): void {
    const counts = this.#hosts.get(hostId) ?? { asked: 0, failed: 0 };
    counts.asked++;
    if (isWrong) counts.failed++;
    this.#hosts.set(hostId, counts);
    tally.add('guesses', 1);
    tally.add('guesses/wrong', isWrong ? 1 : 0);
  }

  /** Writes the counts, and leaves waiting guesses out where the rule says so. */
  async write(session: Session, schema: string, tally: Tally): Promise<void> {
    if (this.#hosts.size === 0) return;
    const counts = [...this.#hosts].flatMap(([hostId, { asked, failed }]) => [
      { hostId, key: KEYS[0]!, amount: asked },
      { hostId, key: KEYS[1]!, amount: failed },
    ]);
    // The order of the rows avoids a deadlock between two workers that share hosts.
    counts.sort((a, b) => a.hostId - b.hostId || (a.key < b.key ? -1 : 1));
    const rows = await session.all(
      `INSERT INTO ${schema}.patterns AS p (host_id, pattern, count)
       SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bigint[])
       ON CONFLICT (host_id, pattern) DO UPDATE SET count = p.count + excluded.count
       RETURNING host_id, encode(pattern, 'hex') AS pattern, count`,
      [
        numbers(counts.map(({ hostId }) => hostId)),
        bytes(counts.map(({ key }) => Buffer.from(key, 'hex'))),
        numbers(counts.map(({ amount }) => amount)),
      ],
    );
    const countsOf = countsIn(rows);
    const doubted = [...this.#hosts].filter(([id, { failed }]) => failed > 0 && abandonsGuesses(countsOf(id)));
    if (doubted.length === 0) return;
    const left = await session.all(
      `WITH old AS (SELECT id, host_id, failures, reason FROM ${schema}.urls
         WHERE host_id = ANY($1::bigint[]) AND state = 0 AND hops >= ${asGuess(0)})
       UPDATE ${schema}.urls u SET state = ${SKIPPED}, reason = $2, failures = 0 FROM old WHERE u.id = old.id
       RETURNING old.host_id, old.failures, old.reason`,
      [numbers(doubted.map(([id]) => id)), ABANDONED],
    );
    for (const { host_id, ...guess } of left) countAbandoned(host_id, guess as AbandonedGuess, tally, this.abandoned);
  }
}

/** The counts of each host, from rows of the table of path patterns. */
function countsIn(rows: readonly Row[]): (hostId: number) => GuessCounts {
  const counts = new Map(rows.map(({ host_id, pattern, count }) => [`${host_id} ${pattern}`, count as number]));
  return (hostId) => {
    const [asked = 0, failed = 0] = KEYS.map((key) => counts.get(`${hostId} ${key}`));
    return { asked, failed };
  };
}
