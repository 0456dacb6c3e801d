/**
 * What curl makes of the raw replies. In: the replies and an installed curl. Out: one answer for each reply. The
 * answers are stored in `curl-answers.jsonl`, so that tests need no curl.
 */
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FetchOutcome } from '../../src/fetch/outcome.ts';
import type { RawReplies } from './reply.ts';
import type { ReplyServer } from './reply-server.ts';

export interface CurlAnswer {
  /** The beginning of the hash of the reply. An answer to other bytes is not an answer to this reply. */
  readonly reply: string;
  /** The exit codes without and with --compressed. 0: curl accepts the reply. */
  readonly exit: readonly [plain: number, compressed: number];
  readonly status: number;
  readonly contentType: string;
  readonly location: string;
  /** `shortOf` the body without --compressed, and with it. '' if curl refused the reply. */
  readonly body: readonly [plain: string, compressed: string];
}

const CURL_ANSWERS_FILE = join(import.meta.dirname, 'curl-answers.jsonl');

export interface StoredAnswers {
  readonly curl: string;
  readonly answers: Readonly<Record<string, CurlAnswer>>;
}

export function storedAnswers(): StoredAnswers {
  const [first = '', ...rest] = readFileSync(CURL_ANSWERS_FILE, 'utf8').trimEnd().split('\n');
  const answers = rest.map((line) => JSON.parse(line) as [name: string, answer: CurlAnswer]);
  return { curl: JSON.parse(first) as string, answers: Object.fromEntries(answers) };
}

/** Short bodies are stored as they are, long ones by their length and hash. */
export function shortOf(body: Buffer): string {
  if (body.length <= 20) return body.toString('latin1');
  return `${body.length} bytes, sha256 ${hash('sha256', body, 'hex').slice(0, 16)}`;
}

export function replyHash(reply: string): string {
  return hash('sha256', Buffer.from(reply, 'latin1'), 'hex').slice(0, 12);
}

/**
 * Whether the fetcher read a reply as curl did: status, type, target of a redirect, and body with and without coding.
 */
export function isAsCurl(outcome: FetchOutcome, { status, contentType, location, exit, body }: CurlAnswer): boolean {
  const isRedirect = status >= 300 && status < 400;
  return (
    outcome.status === status &&
    outcome.header('content-type') === contentType &&
    (!isRedirect || pathOf(outcome.redirectTo ?? '') === location) &&
    shortOf(Buffer.concat(outcome.body)) === body[0] &&
    (exit[1] !== 0 || shortOf(outcome.decoded) === body[1])
  );
}

function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]*/, '');
}

/** Writes the version of curl, then one line for each answer. */
export function storeAnswers({ curl, answers }: StoredAnswers): void {
  const lines = [curl, ...Object.entries(answers)].map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(CURL_ANSWERS_FILE, lines.join(''));
}

/** Asks curl for every reply, a few at a time. */
export async function askCurl(replies: RawReplies, server: ReplyServer): Promise<StoredAnswers> {
  const found = new Map<string, CurlAnswer>();
  const work = Object.keys(replies).values();
  const worker = async (): Promise<void> => {
    for (const name of work) found.set(name, await answerTo(replies[name]!, server.urlOf(name)));
  };
  await Promise.all([worker(), worker(), worker()]);
  const version = await run(['--version']);
  const answers = Object.fromEntries(Object.keys(replies).map((name) => [name, found.get(name)!]));
  return { curl: version.output.toString('latin1').split(' (', 1)[0]!, answers };
}

async function answerTo(reply: string, url: string): Promise<CurlAnswer> {
  const plain = await run([...FETCH, url]);
  const compressed = await run(['--compressed', ...FETCH, url]);
  const [status = '0', contentType = '', location = ''] = plain.facts;
  return {
    reply: replyHash(reply),
    exit: [plain.exit, compressed.exit],
    status: Number(status),
    contentType,
    location: pathOf(location),
    body: [plain, compressed].map(({ exit, output }) => (exit === 0 ? shortOf(output) : '')) as [string, string],
  };
}

const FACTS = '%{stderr}%{http_code}\\t%{content_type}\\t%{redirect_url}';
const FETCH = ['--silent', '--noproxy', '*', '--max-time', '10', '--write-out', FACTS];

function run(args: string[]): Promise<{ exit: number; output: Buffer; facts: string[] }> {
  return new Promise((resolve) => {
    execFile('curl', args, { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 }, (error, output, errors) => {
      const exit = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ exit, output, facts: errors.toString('latin1').split('\t') });
    });
  });
}
