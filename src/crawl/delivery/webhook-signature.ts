/**
 * Signed as Standard Webhooks asks: HMAC-SHA256 over `id.timestamp.body`, so that a receiver can tell that a request is
 * ours, that nobody changed it, and that it is not an old one sent again. The key never leaves this file.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { OrbweaverError } from '../../core/errors.ts';

export const SECRET_VARIABLE = 'ORBWEAVER_WEBHOOK_SECRET';

const PREFIX = 'whsec_';
const MIN_SECRET_BYTES = 24;

export class WebhookSigner {
  readonly #key: KeyObject;

  /** `whsec_` and base64, as the standard's tools write it; any other text counts as the bytes it consists of. */
  constructor(secret: string) {
    const bytes = secret.startsWith(PREFIX) ? decodeBase64(secret.slice(PREFIX.length)) : Buffer.from(secret, 'utf8');
    if (bytes.length < MIN_SECRET_BYTES) {
      throw new OrbweaverError(
        'ERR_BAD_OPTION',
        `the webhook secret needs ${MIN_SECRET_BYTES} bytes or more; make one with: echo "whsec_$(openssl rand -base64 32)"`,
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
  throw new OrbweaverError('ERR_BAD_OPTION', `the webhook secret begins with ${PREFIX} but is no base64 behind it`);
}
