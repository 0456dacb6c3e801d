/**
 * Signs webhook requests as Standard Webhooks requires: HMAC-SHA256 over `id.timestamp.body`. With the
 * signature, a receiver can verify that a request is ours, that it was not changed, and that it is not an old
 * request sent again. The key never leaves this file.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { OrbweaverError } from '../../core/errors.ts';

export const SECRET_VARIABLE = 'ORBWEAVER_WEBHOOK_SECRET';

const PREFIX = 'whsec_';
const MIN_SECRET_BYTES = 24;

export class WebhookSigner {
  readonly #key: KeyObject;

  /** Accepts `whsec_` and base64, the form of the tools of the standard. The bytes of any other text are the key. */
  constructor(secret: string) {
    const bytes = secret.startsWith(PREFIX) ? decodeBase64(secret.slice(PREFIX.length)) : Buffer.from(secret, 'utf8');
    if (bytes.length < MIN_SECRET_BYTES) {
      throw new OrbweaverError(
        'ERR_BAD_OPTION',
        `the webhook secret needs at least ${MIN_SECRET_BYTES} bytes; make one with: echo "whsec_$(openssl rand -base64 32)"`,
      );
    }
    this.#key = createSecretKey(bytes);
  }

  sign(id: string, timestampSeconds: number, body: string): string {
    const content = `${id}.${timestampSeconds}.${body}`;
    return `v1,${createHmac('sha256', this.#key).update(content, 'utf8').digest('base64')}`;
  }
}

function decodeBase64(text: string): Buffer {
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0) return Buffer.from(text, 'base64');
  throw new OrbweaverError('ERR_BAD_OPTION', `the webhook secret begins with ${PREFIX}, but the rest is not base64`);
}
