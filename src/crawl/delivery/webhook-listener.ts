/**
 * `--webhook <url>`: sends each batch as one POST of JSON, in one of the forms of chat/webhook-formats.ts. A 2xx means
 * delivered. Every other answer is a failure and is retried, except 410: the receiver wants no more batches. Redirects
 * are not followed, because changes go only to the address that the user gave. Only the status and Retry-After of the
 * answer are read.
 */

import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Clock } from '../../core/clock.ts';
import { VERSION } from '../../core/options/options.ts';
import { parseRetryAfter } from '../../fetch/retry.ts';
import type { WebhookFormat } from './chat/webhook-formats.ts';
import { DeliveryFailure, type Listener, RUN_ENDED } from './listener.ts';
import type { WebhookSigner } from './webhook-signature.ts';

export interface WebhookSettings {
  readonly url: URL;
  readonly format: WebhookFormat;
  /** Null: requests are not signed. */
  readonly signer: WebhookSigner | null;
  readonly kinds: Listener['kinds'];
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Shows a message to the user. */
  readonly say: (line: string) => void;
}

/** Few receivers accept more than a megabyte. */
const LIMITS = { maxChanges: 100, maxBytes: 500_000, gatherMs: 1_000 } as const;
const MAX_ANSWER_HEAD_BYTES = 16_384;
const UNSIGNED = 'webhook: there is no secret, so requests are not signed and the receiver cannot verify the sender';

export function webhookListener(settings: WebhookSettings): Listener {
  let hasWarned = settings.signer !== null || !settings.format.isSigned;
  return {
    name: 'webhook',
    kinds: settings.kinds,
    limits: LIMITS,
    async deliver(batch, signal) {
      if (!hasWarned) settings.say(UNSIGNED);
      hasWarned = true;
      const answer = await post(settings, batch.id, settings.format.body(batch), signal);
      judge(answer, settings.clock.now());
    },
  };
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string;
}

function judge({ status, retryAfter }: Answer, nowMs: number): void {
  if (status >= 200 && status < 300) return;
  if (status === 410) throw new DeliveryFailure('it answered 410, so it wants no more deliveries', { isFinal: true });
  if (status >= 300 && status < 400) {
    throw new DeliveryFailure(`it answered ${status}, and redirects are not followed; use its final address`);
  }
  const retryAfterMs = parseRetryAfter(retryAfter, nowMs) ?? 0;
  throw new DeliveryFailure(`it answered ${status}`, { retryAfterMs });
}

function post({ url, signer, timeoutMs, clock }: WebhookSettings, id: string, body: string, signal: AbortSignal) {
  return new Promise<Answer>((resolve, reject) => {
    if (signal.aborted) return reject(new DeliveryFailure(RUN_ENDED));
    const timestamp = Math.floor(clock.now() / 1_000);
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
      method: 'POST',
      // A new connection for each request: receivers often close an idle connection just when the next batch is sent.
      agent: false,
      maxHeaderSize: MAX_ANSWER_HEAD_BYTES,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': `Orbweaver/${VERSION} (webhook)`,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        ...(signer === null ? {} : { 'webhook-signature': signer.sign(id, timestamp, body) }),
      },
    });
    const cancel = clock.after(timeoutMs, () => fail(`no answer within ${timeoutMs / 1_000} s`));
    const onAbort = (): void => fail(RUN_ENDED);
    signal.addEventListener('abort', onAbort, { once: true });
    const over = (): void => {
      cancel();
      signal.removeEventListener('abort', onAbort);
      // Only the status counts, so the body of the answer is not read.
      request.destroy();
    };
    const fail = (message: string, cause?: unknown): void => {
      over();
      reject(new DeliveryFailure(message, { cause }));
    };
    request.on('error', (error) => fail(networkMessage(error), error));
    request.on('response', (response: IncomingMessage) => {
      over();
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] ?? '' });
    });
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      fail('it answered 101');
    });
    request.end(body);
  });
}

/** Based on the error code: messages of the system contain the address, and an address can contain a password. */
function networkMessage(error: NodeJS.ErrnoException): string {
  const { code = '' } = error;
  return WORDS[code] ?? `the request failed (${code === '' ? error.name : code})`;
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection broke before an answer',
  EPIPE: 'the connection broke before an answer',
  ENOTFOUND: 'its host name has no address',
  EAI_AGAIN: 'its host name could not be looked up',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its host cannot be reached',
  ETIMEDOUT: 'its host cannot be reached',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};
