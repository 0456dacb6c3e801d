/**
 * The structure of a document as plain data. One pass over its bytes makes the outline, and the code that compares
 * documents reads it. It lists elements and texts in document order, each with its level in the tree and its parent.
 */
export interface PageOutline {
  readonly nodes: readonly OutlineNode[];
  /** True if the document had more nodes than the limit. The last node then holds a hash of the remaining nodes. */
  readonly isCut: boolean;
  /** The URL of the page; absent if it is not known. Forms of the same address are equal only if it is. */
  readonly url?: string;
  /** When the response was sent, by its Date header; absent if it has none. */
  readonly sentAtMs?: number;
}

export interface OutlineNode {
  readonly kind: 'element' | 'text' | 'comment';
  /** The root element is on level 1. */
  readonly level: number;
  /** The index of the parent in `nodes`, or -1. */
  readonly parent: number;
  /** The element name in lower case. '' for other nodes. */
  readonly name: string;
  /** Name, value, name, value … of an element in the written order. Character references in values are decoded. */
  readonly attributes: readonly string[];
  /** The exact text of a text or comment. The raw text of script and style is a text node below the element. */
  readonly text: string;
}
