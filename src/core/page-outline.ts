/**
 * What a document consists of, as plain data: made by one pass over its bytes, read by whoever compares documents. Elements and
 * texts in the order of the document, each with its level in the tree and its parent.
 */
export interface PageOutline {
  readonly nodes: readonly OutlineNode[];
  /** The document had more nodes than are kept; the last one says so by a hash of all the rest. */
  readonly isCut: boolean;
}

export interface OutlineNode {
  readonly kind: 'element' | 'text' | 'comment';
  /** The root element is on level 1. */
  readonly level: number;
  /** The place of its parent in `nodes`; -1 for what has none. */
  readonly parent: number;
  /** An element's name in lower case; '' otherwise. */
  readonly name: string;
  /** Name, value, name, value … of an element, in the order written, values with their character references decoded. */
  readonly attributes: readonly string[];
  /** Of a text or comment, exactly; raw text (script, style) is the text below its element. */
  readonly text: string;
}
