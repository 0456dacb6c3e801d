/**
 * The one sort order of the watcher. In: keys and names from the file system. Out: the *form* of a key, which is the
 * same text with every character outside plain ASCII escaped as in JSON. What always holds: forms sort the same as text
 * and as bytes; forms contain no line end; a walk that adds `/` to folder names and visits the forms of each folder in
 * order visits all keys in order.
 */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const BEYOND_ASCII = /[\x7f-\uffff]/g;

export function formOf(key: string): string {
  return PLAIN.test(key) ? key : asciiJson(key).slice(1, -1);
}

export function keyOf(form: string): string {
  return form.includes('\\') ? (JSON.parse(`"${form}"`) as string) : form;
}

/** JSON in which every character is one byte. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    BEYOND_ASCII,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function compareForms(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The smallest form after all forms that start with the folder's form and its `/`. The character after `/` is `0`. */
export function behindFolder(folder: string): string {
  return `${folder.slice(0, -1)}0`;
}
