/**
 * What curl makes of the raw replies. In: the replies and an installed curl. Out: one answer for each reply. The answers
 * are stored in `curl-answers.json`, so that tests need no curl.
 */
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

export const CURL_ANSWERS_FILE = join(import.meta.dirname, 'curl-answers.json');

export interface StoredAnswers {
  readonly curl: string;
  readonly answers: Readonly<Record<string, CurlAnswer>>;
}

export function storedAnswers(): StoredAnswers {
  return JSON.parse(readFileSync(CURL_ANSWERS_FILE, 'utf8')) as StoredAnswers;
}

/** Short bodies are stored as they are, long ones by their length and hash. */
export function shortOf(body: Buffer): string {
  if (body.length <= 20) return body.toString('latin1');
  return `${body.length} bytes, sha256 ${hash('sha256', body, 'hex').slice(0, 16)}`;
}

export function replyHash(reply: string): string {
  return hash('sha256', Buffer.from(reply, 'latin1'), 'hex').slice(0, 12);
}

/** Asks curl for every reply, a few at a time. */
export async function askCurl(replies: RawReplies, server: ReplyServer): Promise<StoredAnswers> {
  const answers: Record<string, CurlAnswer> = {};
  const names = Object.keys(replies);
  for (const name of names) answers[name] = undefined as unknown as CurlAnswer;
  const work = names.values();
  const worker = async (): Promise<void> => {
    for (const name of work) answers[name] = await answerTo(replies[name]!, server.urlOf(name));
  };
  await Promise.all([worker(), worker(), worker()]);
  const version = await run(['--version']);
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
    location: location.replace(/^https?:\/\/[^/]*/, ''),
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
