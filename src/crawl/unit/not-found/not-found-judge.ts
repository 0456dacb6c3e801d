/**
 * Finds out whether a page is only the answer of its host for a path that does not exist (a soft 404). In: a response
 * and its host. Out: whether it is marked.
 *
 * A host is asked for a made-up path only when there is a reason to suspect it: two pages with the same bytes, two
 * redirects to the same place, a title that says so, or pages that differ only in their own URL and in identifiers.
 * The request passes the gate and obeys robots.txt; it is no page and is not archived. If the main page of the host has
 * the same answer, the answer says nothing: a single-page application sends one page for all paths.
 *
 * What always holds: the main page and the seeds are never marked.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../../../core/clock.ts';
import type { Reason } from '../../../core/reasons.ts';
import type { FetchOutcome } from '../../../fetch/outcome.ts';
import { LeaseExpiredError } from '../../../frontier/host-gate.ts';
import { parsePage } from '../../../page/page.ts';
import type { ClaimedUrl, NotFoundAnswer } from '../../../store/contract.ts';
import { pathEnd, pathOf, pathStart } from '../../../url/host.ts';
import { answerOf, isSameAnswer, type Response, reducedTarget, suspectDigest } from './not-found-answer.ts';

/** The part of a host in a unit that the judge needs. */
export interface ProbedHost {
  readonly host: string;
  readonly robots: { refuses(url: string): Reason | null } | null;
  /** The answer of the host for a path that does not exist. Null while nobody has asked. */
  readonly notFound: NotFoundAnswer | null;
  setNotFound(answer: NotFoundAnswer): void;
  /** Digests and redirect targets of its responses. */
  readonly answersSeen: Set<string>;
}

export interface Probing<Host extends ProbedHost> {
  readonly clock: Clock;
  /** Sends a request when the gate of the host is open. */
  readonly fetch: (host: Host, url: string) => Promise<FetchOutcome>;
  readonly isDraining: () => boolean;
  /** Whether the rules of the crawl, apart from robots.txt, allow a request. */
  readonly isInside: (url: string) => boolean;
}

/** A site may change its software. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1_000;
const MAX_ANSWERS_SEEN = 2_000;
const SUSPICIOUS =
  /^\W?404\b|\berror\W{1,3}404\b|not (?:be )?found|(?:does not|doesn.t|no longer) exist|page missing|nicht gefunden|introuvable|no encontrad|non trovat|não encontrad|niet gevonden|nie znalezion|не найден|見つかりません|找不到|未找到/i;
/** An error page that names the requested path has a few new words. */
const FEW_NEW_WORDS = 24;
const NAME_LETTERS = 20;
const NO_TEXT = { wantText: false, maxLinks: 0 };

export class NotFoundJudge<Host extends ProbedHost> {
  readonly #probing: Probing<Host>;
  readonly #asking = new Map<Host, Promise<NotFoundAnswer | null>>();

  constructor(probing: Probing<Host>) {
    this.#probing = probing;
  }

  /** A promise only if the host has to be asked first. */
  isNotFound(host: Host, { depth }: ClaimedUrl, response: Response): boolean | Promise<boolean> {
    if (depth === 0 || pathOf(response.url) === '/') return false;
    const known = this.#freshAnswer(host);
    if (known !== null) return isSameAnswer(known, response);
    if (!this.#suspects(host, response) || this.#probing.isDraining()) return false;
    return this.#ask(host, response.url).then((answer) => answer !== null && isSameAnswer(answer, response));
  }

  #freshAnswer({ notFound }: ProbedHost): NotFoundAnswer | null {
    const ageMs = notFound === null ? Infinity : this.#probing.clock.now() - notFound.askedAtMs;
    return ageMs < MAX_AGE_MS ? notFound : null;
  }

  #suspects({ answersSeen }: ProbedHost, response: Response): boolean {
    const { url, title, digest, newWords, redirectTo } = response;
    const isNew = (answer: string): boolean => {
      if (answersSeen.has(answer)) return false;
      if (answersSeen.size < MAX_ANSWERS_SEEN) answersSeen.add(answer);
      return true;
    };
    if (redirectTo !== null) return !isNew(`to ${reducedTarget(redirectTo, url)}`);
    if (!isNew(digest) || SUSPICIOUS.test(title)) return true;
    // This reads the body again, so it is done only for pages that hardly say anything new.
    const mayBeRead = newWords <= FEW_NEW_WORDS && answersSeen.size < MAX_ANSWERS_SEEN;
    const rest = mayBeRead ? suspectDigest(response) : digest;
    return rest !== digest && !isNew(rest);
  }

  /** Several responses may be suspicious at the same time; the host is asked once. */
  #ask(host: Host, url: string): Promise<NotFoundAnswer | null> {
    let asking = this.#asking.get(host);
    if (asking === undefined) {
      asking = this.#probe(host, url).finally(() => this.#asking.delete(host));
      this.#asking.set(host, asking);
    }
    return asking;
  }

  async #probe(host: Host, url: string): Promise<NotFoundAnswer | null> {
    const probe = madeUpBeside(url);
    const main = `${host.host}/`;
    const mayAsk = (asked: string): boolean => !host.robots?.refuses(asked) && this.#probing.isInside(asked);
    if (!mayAsk(probe)) return null;
    try {
      const answer = await this.#answerTo(host, probe);
      if (answer === null) return null;
      const isShell = answer.kind !== 'error' && mayAsk(main) && (await this.#isMainPage(host, main, answer));
      host.setNotFound(isShell ? { kind: 'shell', askedAtMs: answer.askedAtMs, probe } : answer);
      return host.notFound;
    } catch (error) {
      // The host belongs to another worker now, and so does the question.
      if (error instanceof LeaseExpiredError) return null;
      throw error;
    }
  }

  /** Null if there was no answer. */
  async #answerTo(host: Host, url: string): Promise<NotFoundAnswer | null> {
    return this.#request(host, url, (outcome) => {
      const nowMs = this.#probing.clock.now();
      if (outcome.status === 0 || outcome.status === 429 || outcome.status >= 500) return null;
      if (outcome.status >= 400) return { kind: 'error', askedAtMs: nowMs, probe: url };
      return answerOf(responseOf(outcome, url), nowMs);
    });
  }

  #isMainPage(host: Host, main: string, answer: NotFoundAnswer): Promise<boolean> {
    return this.#request(host, main, (outcome) => isSameAnswer(answer, responseOf(outcome, main)));
  }

  async #request<T>(host: Host, url: string, read: (outcome: FetchOutcome) => T): Promise<T> {
    const outcome = await this.#probing.fetch(host, url);
    try {
      return read(outcome);
    } finally {
      outcome.release();
    }
  }
}

function responseOf(outcome: FetchOutcome, url: string): Response {
  const { title } = parsePage(outcome.decoded, outcome.header('content-type'), url, NO_TEXT);
  return {
    url,
    title,
    digest: hash('sha256', outcome.decoded, 'hex'),
    newWords: 0,
    body: outcome.decoded,
    redirectTo: outcome.redirectTo,
  };
}

/** A path that nobody made, in the same folder and with the same ending, because a program may serve only those. */
function madeUpBeside(url: string): string {
  const end = pathEnd(url, pathStart(url));
  const slash = url.lastIndexOf('/', end);
  const ending = /\.[a-z]{1,5}$/i.exec(url.slice(slash, end))?.[0] ?? '';
  const name = Array.from(randomBytes(NAME_LETTERS), (byte) => String.fromCharCode(0x61 + (byte % 26))).join('');
  return `${url.slice(0, slash + 1)}${name}${ending}`;
}
