/**
 * The one order of everything here. In: keys and names as the file system has them. Out: their *form*: the same text with all that is not
 * plain ASCII escaped as in JSON. Always: forms of one order whether texts or bytes are compared, hold no line end, and, with `/`
 * behind the names of folders, a walk that takes each folder's forms in order meets all keys in order.
 */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const BEYOND_ASCII = /[\x7f-\uffff]/g;

export function formOf(key: string): string {
  return PLAIN.test(key) ? key : asciiJson(key).slice(1, -1);
}

export function keyOf(form: string): string {
  return form.includes('\\') ? (JSON.parse(`"${form}"`) as string) : form;
}

/** JSON in which a character is a byte. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    BEYOND_ASCII,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function compareForms(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The least form behind all that begin with a folder's form and its `/`: `0` follows `/`. */
export function behindFolder(folder: string): string {
  return `${folder.slice(0, -1)}0`;
}
