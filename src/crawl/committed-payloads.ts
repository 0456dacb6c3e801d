/**
 * The payloads that are archived and committed, which any unit may refer to instead of archiving them again. The controller
 * adds those of each commit; at the start of a crawl it recalls some of those that earlier runs left.
 */

import { DIGEST_PREFIX } from '../archive/sha1-base32.ts';
import { SHARED_PAYLOAD_BYTES, SharedPayloads } from '../archive/shared-payloads.ts';
import type { CaptureRecord, CommitReceipt, Store, UrlResult } from '../store/contract.ts';

/** More than a site's worth of pages; reading them takes some 40 ms. */
const RECALLED = 16_384;

export class CommittedPayloads {
  /** What the units are given. */
  readonly memory = new SharedArrayBuffer(SHARED_PAYLOAD_BYTES);
  readonly #payloads = new SharedPayloads(this.memory);

  async recall(store: Store): Promise<void> {
    const newestFirst = await store.payloads(RECALLED);
    for (const { url, ...capture } of newestFirst.toReversed()) this.#add(url, capture);
  }

  /** While no unit is at work. */
  clear(): void {
    new Uint8Array(this.memory).fill(0);
  }

  add(results: readonly UrlResult[], { states }: CommitReceipt): void {
    for (const [i, { url, capture, page, reason }] of results.entries()) {
      if (states[i] === null || capture === null || page === null || capture.revisit) continue;
      // Cut off where we stopped reading: equal to another only by accident of where that was.
      if (page.wireBytes > 0 && reason !== 'body-too-large') this.#add(url, capture);
    }
  }

  #add(url: string, { payloadDigest, fetchedAtMs, file, offset }: CaptureRecord): void {
    if (!payloadDigest.startsWith(DIGEST_PREFIX)) return;
    this.#payloads.remember(payloadDigest.slice(DIGEST_PREFIX.length), { url, fetchedAtMs, file, offset });
  }
}
