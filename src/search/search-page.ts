/** A page as the index sees it: the parts of its text, and the facts that filters and results need. */

export interface SearchPage {
  /** The id of the URL in the store. A page that is added again replaces its earlier form. */
  readonly urlId: number;
  readonly url: string;
  readonly title: string;
  readonly description: string;
  /** The text in the order of the page. */
  readonly blocks: readonly SearchBlock[];
  /** Links in the own content of the page. Their texts describe the pages that they lead to. */
  readonly links: readonly SearchLink[];
  /** Two or three letters in lower case, declared or detected; '' if it is unknown. */
  readonly language: string;
  /** What `filetype:` compares: html, pdf, docx, txt … */
  readonly fileType: string;
  /** The page asks search engines not to show it. */
  readonly isNoindex: boolean;
  readonly depth: number;
  /** Time of the response that has this content, and of the last change; null if it never changed. */
  readonly fetchedAtMs: number;
  readonly changedAtMs: number | null;
  /** PageRank when the page was indexed; 0 if it is unknown. */
  readonly pageRank: number;
}

export const BLOCK_ROLES = ['text', 'heading', 'template'] as const;
export type BlockRole = (typeof BLOCK_ROLES)[number];

export interface SearchBlock {
  readonly text: string;
  /** Words of the template of the host count little. */
  readonly role: BlockRole;
}

export interface SearchLink {
  /** The id of the URL that the link leads to. */
  readonly targetId: number;
  readonly text: string;
}
