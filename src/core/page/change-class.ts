/** How a change of a page is classified. The unit decides it, the store keeps it, and everything else reads it. */

/**
 * What other bytes mean for a reader. `content`: something that a reader sees or follows has changed, such as text, a
 * title, a link or an image. `layout`: only markup or styles. `hidden`: only content that no reader sees.
 */
export const CHANGE_LEVELS = ['content', 'layout', 'hidden'] as const;
export type ChangeLevel = (typeof CHANGE_LEVELS)[number];

/** Whether a change counts if `lowest` is the lowest level that counts. A change of unknown level always counts. */
export function countsAs(level: ChangeLevel | null, lowest: ChangeLevel): boolean {
  return level === null || CHANGE_LEVELS.indexOf(level) <= CHANGE_LEVELS.indexOf(lowest);
}

/** `own`: the own content of the page has changed. `template`: only what it shares with other pages of its site. */
export const CHANGE_PARTS = ['own', 'template'] as const;
export type ChangePart = (typeof CHANGE_PARTS)[number];

export interface ChangeClass {
  /** Null for a change that an earlier version of Orbweaver recorded. */
  readonly level: ChangeLevel | null;
  /** Null if it is not known. */
  readonly part: ChangePart | null;
  /**
   * The fingerprint of the edit: equal edits on several pages have the same. It says what was removed and added, not
   * where. 16 hexadecimal digits; null if it is not known.
   */
  readonly edit: string | null;
}

export const UNCLASSIFIED: ChangeClass = Object.freeze({ level: null, part: null, edit: null });
