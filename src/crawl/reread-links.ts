/**
 * The links of a page that has not changed, read anew because more of them are wanted than when it was read (links-wanted.ts). In:
 * the page as it was looked at. Out: its links for the store, or nothing where they need not or cannot be read.
 *
 * Mostly the server has not sent the page again, and need not: the archive has it.
 */
import type { FetchOutcome } from '../fetch/outcome.ts';
import { headerValue } from '../fetch/outcome.ts';
import { parsePage } from '../page/page.ts';
import type { ClaimedUrl, EarlierVisit, UrlResult } from '../store/contract.ts';
import { followedLinks, readDirectives, type Stages } from './pipeline.ts';

/** `sent`: the same page as the server has just sent it; null where it has not. */
export async function rereadLinks(
  task: ClaimedUrl,
  { checkedAtMs }: EarlierVisit,
  sent: FetchOutcome | null,
  stages: Stages,
): Promise<Partial<UrlResult>> {
  if (checkedAtMs >= stages.rereadBeforeMs) return {};
  const content = sent
    ? { body: sent.decoded, rawHeaders: sent.rawHeaders }
    : await (await stages.changes()).archived(task.url);
  if (content === null) return {};
  const { body, rawHeaders } = content;
  const page = parsePage(body, headerValue(rawHeaders, 'content-type'), task.url, {
    wantText: false,
    wantAnchors: false,
    maxLinks: stages.options.maxLinks,
  });
  if (page.kind !== 'html') return {};
  const directives = readDirectives(rawHeaders, page, stages);
  return { ...followedLinks(page, directives, task, stages, null), isReread: true };
}
