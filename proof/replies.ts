/**
 * Compares the fetcher with the installed curl over raw replies: the table of testbed/replies, whose answers it stores
 * for the tests, and damaged copies of its rows.
 */
import { systemClock } from '../src/core/clock.ts';
import { Fetcher } from '../src/fetch/fetcher.ts';
import { damage, generator } from '../test/fetch/transport/h1/reading.ts';
import { askCurl, isAsCurl, type StoredAnswers, storeAnswers } from '../testbed/replies/curl-answers.ts';
import { RAW_REPLIES } from '../testbed/replies/replies.ts';
import type { RawReplies } from '../testbed/replies/reply.ts';
import { startReplyServer } from '../testbed/replies/reply-server.ts';
import type { Proof, ProofContext, ProofResult, ProofRow } from './proof.ts';

const DAMAGED = 1_000;
/** Long replies are mostly body, and damage should hit the head. */
const MAX_DAMAGED_BYTES = 3_000;
const TARGET = 0.98;
/** Random damage also makes status lines such as `HTTP/HTTP/1.1 404`, which curl reads as 200 and we read as 404. */
const DAMAGED_TARGET = 0.97;

interface Compared extends StoredAnswers {
  readonly accepted: number;
  readonly differing: readonly string[];
}

async function compare(replies: RawReplies): Promise<Compared> {
  const server = await startReplyServer(replies);
  const fetcher = new Fetcher({ allowedPrivateHosts: [server.origin] }, systemClock);
  try {
    const stored = await askCurl(replies, server);
    const accepted = Object.entries(stored.answers).filter(([, { exit }]) => exit[0] === 0);
    const differing: string[] = [];
    for (const [name, answer] of accepted) {
      if (!isAsCurl(await fetcher.fetch(server.urlOf(name)), answer)) differing.push(name);
    }
    return { ...stored, accepted: accepted.length, differing };
  } finally {
    await fetcher.close();
    await server.close();
  }
}

function damagedReplies(): RawReplies {
  const texts = Object.values(RAW_REPLIES).filter((text) => text.length < MAX_DAMAGED_BYTES);
  const damaged = Array.from({ length: DAMAGED }, (_, seed) => {
    const random = generator(seed * 7_919);
    return damage(Buffer.from(texts[random(texts.length)]!, 'latin1'), random).toString('latin1');
  });
  return Object.fromEntries(damaged.map((text) => [JSON.stringify(text.slice(0, 200)), text]));
}

function rowOf(what: string, target: number, { accepted, differing }: Compared): ProofRow {
  const share = (accepted - differing.length) / accepted;
  const measured = `${accepted - differing.length} of ${accepted} (${(100 * share).toFixed(1)} %)`;
  return { what, target: `at least ${100 * target} %`, measured, holds: share >= target };
}

async function run({ report, words }: ProofContext): Promise<ProofResult> {
  const table = await compare(RAW_REPLIES);
  report(`${table.accepted} of ${Object.keys(RAW_REPLIES).length} replies are accepted by ${table.curl}`);
  if (words.length === 0) storeAnswers(table);
  const damaged = await compare(damagedReplies());
  return {
    rows: [
      rowOf('replies of the table that curl accepts and we read the same', TARGET, table),
      rowOf('damaged replies that curl accepts and we read the same', DAMAGED_TARGET, damaged),
    ],
    notes: [
      `${Object.keys(RAW_REPLIES).length} replies in the table, ${DAMAGED} damaged ones; compared with ${table.curl}.`,
      'Compared: status, Content-Type, target of a redirect, and the body with and without --compressed.',
    ],
    details: { table: table.differing, damaged: damaged.differing },
  };
}

export const proof: Proof = {
  claim: 'Replies that curl accepts are read as curl reads them, also if they break the rules of HTTP.',
  run,
};
