/** The token that allows changes, and reading from other machines. It is compared in constant time. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const TOKEN_BYTES = 24;

export class AccessToken {
  readonly text: string;
  readonly #digest: Buffer;

  constructor(given: string | null) {
    this.text = given ?? randomBytes(TOKEN_BYTES).toString('base64url');
    this.#digest = digestOf(this.text);
  }

  /** Whether an Authorization header has the token. Null if there is no such header. */
  check(header: string | undefined): boolean | null {
    if (header === undefined) return null;
    const found = /^Bearer ([\w~.-]{1,1000})$/i.exec(header.trim());
    return found !== null && timingSafeEqual(digestOf(found[1]!), this.#digest);
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
