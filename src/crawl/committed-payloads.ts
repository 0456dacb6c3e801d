/**
 * The archived and committed payloads. Any unit may refer to them instead of archiving them again. The controller adds
 * the payloads of each commit. At the start of a crawl it also loads some payloads of earlier runs.
 */

import { DIGEST_PREFIX } from '../archive/sha1-base32.ts';
import { SHARED_PAYLOAD_BYTES, SharedPayloads } from '../archive/shared-payloads.ts';
import type { CaptureRecord, CaptureStore, CommitReceipt, UrlResult } from '../store/contract.ts';

/** More than the pages of one site. Reading them takes some 40 ms. */
const RECALLED = 16_384;

export class CommittedPayloads {
  /** All units read this memory. */
  readonly memory = new SharedArrayBuffer(SHARED_PAYLOAD_BYTES);
  readonly #payloads = new SharedPayloads(this.memory);

  async recall(store: CaptureStore): Promise<void> {
    const newestFirst = await store.payloads(RECALLED);
    for (const { url, ...capture } of newestFirst.toReversed()) this.#add(url, capture);
  }

  /** Call it only while no unit is working. */
  clear(): void {
    new Uint8Array(this.memory).fill(0);
  }

  add(results: readonly UrlResult[], { states }: CommitReceipt): void {
    for (const [i, { url, capture, page, reason }] of results.entries()) {
      if (states[i] === null || capture === null || page === null || capture.revisit) continue;
      // A body that was cut off at our limit equals another body only by accident.
      if (page.wireBytes > 0 && reason !== 'body-too-large') this.#add(url, capture);
    }
  }

  #add(url: string, { payloadDigest, fetchedAtMs, file, offset }: CaptureRecord): void {
    if (!payloadDigest.startsWith(DIGEST_PREFIX)) return;
    this.#payloads.remember(payloadDigest.slice(DIGEST_PREFIX.length), { url, fetchedAtMs, file, offset });
  }
}
