/** Resolves what the user typed to a URL of the crawl. */
import { OrbweaverError } from '../core/errors.ts';
import type { CrawlOptions } from '../core/options/options.ts';
import { withoutLogin } from '../core/options/secret-values.ts';
import { normalizerFor } from '../crawl/links/link-forms.ts';
import { keptOptions } from '../crawl/place/data-folder.ts';
import type { Store, UrlRecord } from '../store/contract.ts';
import { hostOf } from '../url/host.ts';
import { urlKeyHex } from '../url/key.ts';
import { lacksScheme } from '../url/normalize.ts';

export interface ResolvedUrl {
  /** The URL in the normal form of this crawl. */
  readonly url: string;
  /** Null for a URL that the crawl does not know. */
  readonly record: UrlRecord | null;
  /** The options of the last run of the crawl. */
  readonly options: CrawlOptions;
}

export async function findUrl(store: Store, text: string): Promise<ResolvedUrl> {
  const options = await keptOptions(store);
  const normalizer = normalizerFor(options);
  const written = normalizer.normalize(text);
  const guesses = lacksScheme(text) ? [`https://${text}`, `http://${text}`] : [];
  const urls = [written, ...guesses.map((guess) => normalizer.normalize(guess))].filter((url) => url !== null);
  for (const url of urls) {
    const record = await recordOf(store, url);
    if (record !== null) return { url, record, options };
  }
  const [url] = urls;
  if (url !== undefined) return { url, record: null, options };
  throw new OrbweaverError(
    'ERR_BAD_URL',
    `"${withoutLogin(text)}" is not an http or https URL; write it like https://example.com/`,
  );
}

export function recordOf(store: Store, url: string): Promise<UrlRecord | null> {
  return store.explain(hostOf(url), urlKeyHex(url));
}
