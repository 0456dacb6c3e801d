/**
 * Proves our identity to watchers. In: the texts of `--lease-key` and the URL of a request. Out: the header with the
 * proof, only for the host that the key is for.
 */
import { OrbweaverError } from '../../core/errors.ts';
import { type CrawlerKey, PROOF_HEADER, parseCrawlerKey, proofHeader, SHORTEST_KEY } from '../../core/report-proof.ts';
import { hostOf } from '../../url/host.ts';

export class ReportProofs {
  /** By host as the user wrote it: `example.org`, `example.org:8080` or `https://example.org`. */
  readonly #keys = new Map<string, CrawlerKey>();
  /** Hosts whose watcher does not accept the key. */
  readonly #refused = new Set<string>();
  #lastMs = 0;

  /** The text is a secret, so no message repeats it. */
  constructor(texts: readonly string[]) {
    for (const text of texts) {
      const at = text.indexOf('|');
      const key = at < 1 ? null : parseCrawlerKey(text.slice(at + 1));
      if (key === null) {
        const form = `"host|name:key" with a key of ${SHORTEST_KEY} characters or more`;
        throw new OrbweaverError('ERR_BAD_OPTION', `--lease-key needs ${form}`);
      }
      this.#keys.set(text.slice(0, at), key);
    }
  }

  headersFor(url: string, nowMs: number): Readonly<Record<string, string>> {
    const key = this.#keyFor(hostOf(url));
    if (key === null) return {};
    // Every proof is different, because each proof gives the lease once.
    this.#lastMs = Math.max(nowMs, this.#lastMs + 1);
    const { search } = new URL(url);
    return { [PROOF_HEADER]: proofHeader(key, hostOf(url), search.slice(1), this.#lastMs) };
  }

  /**
   * Called when the watcher answered 401. Returns whether we have a key for the host; from
   * now on no proof is sent to it.
   */
  wasRefused(host: string): boolean {
    if (this.#keyFor(host) === null) return false;
    this.#refused.add(host);
    return true;
  }

  #keyFor(host: string): CrawlerKey | null {
    if (this.#refused.has(host)) return null;
    return this.#keys.get(host) ?? this.#keys.get(new URL(host).host) ?? null;
  }
}
