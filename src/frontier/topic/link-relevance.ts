/**
 * The relevance of a URL before it is fetched, from what its link says and where it stands. Each source gives a number from 0 to 1;
 * each closes its share of what is still open, so that one clear word is enough and silence costs nothing: many links say “read
 * more”, many URLs are numbers.
 *
 * The weights follow what links of each kind turned out to lead to on the test web (docs/topic.md).
 */
export interface LinkWords {
  /** In normal form. */
  readonly url: string;
  /** Where its path begins: the host's name is the same for all its pages. */
  readonly pathAt: number;
  readonly anchor: string;
  /** The words before and after it, where they are known. */
  readonly around?: string;
}

export interface LinkEvidence {
  /** How surely the words of each speak of the topic. */
  readonly anchor: number;
  readonly url: number;
  readonly around: number;
  /** What the page hands to its links: its own relevance, or what is left of its parents' (branch.ts). */
  readonly inherited: number;
  /** The anchor has words that say something, rather than “read more”. */
  readonly anchorSpeaks: boolean;
}

export const LINK_WEIGHTS = {
  anchor: 0.9,
  url: 0.9,
  /** They speak of the page they are on as often as of the link. */
  around: 0.4,
  /** Half of what pages on topic link to is on topic. */
  inherited: 0.5,
} as const;

/** How much the strongest word of the topic settles; weaker ones settle less. */
export const WORD_CERTAINTY = 0.9;
/** An anchor that speaks, but not of the topic, lessens what is inherited: a little, for who knows all words of a topic? */
export const SPEAKS_OF_OTHER = 0.85;

export function linkRelevance({ anchor, url, around, inherited, anchorSpeaks }: LinkEvidence): number {
  const ofOther = anchorSpeaks && anchor === 0 && url === 0;
  const open =
    (1 - LINK_WEIGHTS.anchor * anchor) *
    (1 - LINK_WEIGHTS.url * url) *
    (1 - LINK_WEIGHTS.around * around) *
    (1 - LINK_WEIGHTS.inherited * inherited * (ofOther ? SPEAKS_OF_OTHER : 1));
  return 1 - open;
}
