/**
 * Leaves out links that change something when they are followed, in a crawl that is logged in. In: the options, URLs,
 * and the labels of links. Out: the reason to leave a URL out. Without a login a link can change nothing that belongs
 * to the user, so there is no guard and nothing is judged.
 */
import type { CrawlOptions, OptionName } from '../../core/options/options.ts';
import { headerParts } from '../../core/options/secret-values.ts';
import type { Reason } from '../../core/reasons.ts';
import type { LinkKind, ParsedPage } from '../../page/parsed-page.ts';
import { isActionLabel, isActionUrl, isProgram } from '../../url/actions/judge-action.ts';

/** Headers that say nothing about who sends the request. Any other header may be a login. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set(
  (
    'accept accept-charset accept-encoding accept-language cache-control dnt from if-modified-since if-none-match ' +
    'origin pragma priority referer save-data te upgrade-insecure-requests user-agent via x-requested-with'
  ).split(' '),
);

/** The label of a button is not read, and a ping is made to be counted, so none of these is followed. */
const SENDING_KINDS: readonly LinkKind[] = ['form', 'action', 'ping'];

export class ActionGuard {
  without(kinds: ReadonlySet<LinkKind>): ReadonlySet<LinkKind> {
    return new Set([...kinds].filter((kind) => !SENDING_KINDS.includes(kind)));
  }

  /** A URL whose words name an action. */
  refuses(url: string): Reason | null {
    return isActionUrl(url) ? 'action-link' : null;
  }

  /**
   * The links of a page whose labels name an action, as written. A URL that another link of the page calls something
   * else is a page: shops link to a product by its name and by "Buy". A label says nothing about a link into a page
   * (`#delete`), nor about a fixed file.
   */
  labelledIn({ links }: ParsedPage): ReadonlySet<string> {
    const labelled = new Set<string>();
    const named = new Set<string>();
    for (const { href, kind, text } of links) {
      if ((kind !== 'a' && kind !== 'area') || text === '' || href.includes('#')) continue;
      if (isActionLabel(text)) labelled.add(href);
      else named.add(href);
    }
    for (const href of named) labelled.delete(href);
    return labelled;
  }

  refusesLabelled(url: string): Reason | null {
    return isProgram(url) ? 'action-link' : null;
  }
}

const LOGINS: readonly OptionName[] = ['auth', 'header'];

/**
 * Null if the crawl is not logged in, or if the user wants to follow such links. `secrets` are the names of options
 * that the crawl uses, for work that does not need their values.
 */
export function actionGuardFor(options: CrawlOptions, secrets: readonly OptionName[] = []): ActionGuard | null {
  const hasLogin = isLoggedIn(options) || secrets.some((name) => LOGINS.includes(name));
  return options.followActions || !hasLogin ? null : new ActionGuard();
}

function isLoggedIn({ cookies, auth, header }: CrawlOptions): boolean {
  return (
    cookies || auth.length > 0 || header.some((text) => !HARMLESS_HEADERS.has(headerParts(text)![1].toLowerCase()))
  );
}
