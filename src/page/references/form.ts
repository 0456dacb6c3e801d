/**
 * The URLs to which a GET form leads as it is: the default values of its fields, as a browser sends them when somebody
 * presses a submit button (HTML standard 4.10.22). A form with an empty text field, a password or a file needs input,
 * and has no such URL.
 */
import type { DocumentBytes } from '../encoding/document-bytes.ts';
import { AttributeReader } from '../html/read-attributes.ts';
import { endsTagName, isLetter } from '../html/scan-tag.ts';

export interface FormUrls {
  /** The URLs as written, without a fragment. Empty if the form is not sent with GET, or needs input. */
  readonly urls: readonly string[];
  /** Actions that are not requested as they are. */
  readonly actions: readonly string[];
}

type Field = readonly [name: string, value: string];

interface SubmitButton {
  /** Fields before the button. */
  readonly place: number;
  readonly field: Field | null;
  readonly action: string | undefined;
  readonly method: string | undefined;
}

const MAX_FIELDS = 200;
const MAX_BUTTONS = 20;
const MAX_ATTRIBUTES = 100;
const MAX_FORM_BYTES = 100_000;
const NEAR_CHARS = 600;
const SLASH = 47;
const FIELDS: ReadonlySet<string> = new Set(['input', 'select', 'option', 'textarea', 'button', 'form']);

/** `less` is the position of the `<form` tag. `pageUrl` is the target of a form without an action. */
export function readForm(document: DocumentBytes, less: number, pageUrl: string): FormUrls {
  const form = new Form(document, Math.min(document.bytes.length, less + MAX_FORM_BYTES));
  form.read(less);
  return form.urls(pageUrl);
}

/**
 * Whether the form plainly begins with an empty text field. Most forms are search boxes, on every page of a site:
 * looking at the text of the first field is several times as fast as reading the form.
 */
export function isSearchBox({ chars }: DocumentBytes, less: number): boolean {
  const near = chars.slice(less, less + NEAR_CHARS);
  const start = near.indexOf('<input');
  const end = start < 0 ? -1 : near.indexOf('>', start);
  if (end < 0 || near.lastIndexOf('</', start) >= 0) return false;
  const tag = near.slice(start, end);
  const isText = tag.includes('type="text"') || tag.includes('type="search"');
  return isText && !tag.includes('value') && !tag.includes('disabled') && !tag.includes('form=');
}

class Form {
  readonly #document: DocumentBytes;
  readonly #to: number;
  readonly #reader: AttributeReader;
  #method = 'get';
  #action: string | undefined;
  #needsInput = false;
  readonly #fields: Field[] = [];
  readonly #buttons: SubmitButton[] = [];
  /** The open `<select>`, and its options so far. */
  #select: { name: string; isSingle: boolean; isRequired: boolean } | null = null;
  #selected: Field | null = null;
  #firstOption: Field | null = null;

  constructor(document: DocumentBytes, to: number) {
    this.#document = document;
    this.#to = to;
    this.#reader = new AttributeReader(document);
  }

  read(less: number): void {
    const { chars } = this.#document;
    for (let at = less; at >= 0 && at < this.#to && !this.#isDone(); at = chars.indexOf('<', at + 1)) {
      const isEnd = chars.charCodeAt(at + 1) === SLASH;
      const start = at + (isEnd ? 2 : 1);
      if (!isLetter(chars.charCodeAt(start))) continue;
      let end = start;
      while (end < this.#to && end - start < 9 && !endsTagName(chars.charCodeAt(end))) end++;
      const name = chars.slice(start, end).toLowerCase();
      if (!FIELDS.has(name)) continue;
      if (isEnd) {
        if (name === 'form') break;
        if (name === 'select') this.#endSelect();
        continue;
      }
      // A second form ends the first one only with an end tag, but a form inside a form is not opened at all.
      if (name === 'form' && at !== less) break;
      const after = this.#reader.read(end, MAX_ATTRIBUTES);
      if (after < 0 || after > this.#to) break;
      if (name === 'form') this.#open();
      else if (this.#reader.value('form') === undefined) at = this.#field(name, after) - 1;
      else at = after - 1;
    }
    this.#endSelect();
  }

  #isDone(): boolean {
    return this.#needsInput || this.#fields.length > MAX_FIELDS || this.#buttons.length > MAX_BUTTONS;
  }

  #open(): void {
    this.#method = (this.#reader.value('method') ?? 'get').trim().toLowerCase();
    this.#action = this.#reader.value('action');
  }

  #field(element: string, after: number): number {
    const reader = this.#reader;
    if (element === 'option') {
      this.#option(after);
      return after;
    }
    if (reader.value('disabled') !== undefined) return after;
    const name = reader.value('name') ?? '';
    if (element === 'select') {
      this.#endSelect();
      const isSingle = reader.value('multiple') === undefined && Number(reader.value('size') ?? 1) <= 1;
      this.#select = { name, isSingle, isRequired: reader.value('required') !== undefined };
    } else if (element === 'textarea') {
      const end = this.#document.chars.indexOf('</', after);
      const text = end < 0 || end > this.#to ? '' : this.#document.text(after, end);
      this.#text(name, text.replace(/^\r?\n/, ''));
    } else if (element === 'button') this.#button(name, (reader.value('type') ?? 'submit').toLowerCase());
    else this.#input(name, (reader.value('type') ?? 'text').trim().toLowerCase());
    return after;
  }

  #input(name: string, type: string): void {
    const reader = this.#reader;
    const value = reader.value('value');
    switch (type) {
      case 'hidden':
        this.#add(name, value ?? '');
        break;
      case 'submit':
      case 'image':
        this.#button(name, type);
        break;
      case 'button':
      case 'reset':
        break;
      case 'checkbox':
      case 'radio':
        if (reader.value('checked') !== undefined) this.#add(name, value ?? 'on');
        else if (reader.value('required') !== undefined && type === 'checkbox') this.#needsInput = true;
        break;
      case 'color':
        this.#add(name, value || '#000000');
        break;
      case 'range':
        this.#add(name, value || '50');
        break;
      case 'password':
      case 'file':
        this.#needsInput = true;
        break;
      default:
        this.#text(name, value ?? '');
    }
  }

  #text(name: string, value: string): void {
    if (value === '') this.#needsInput = true;
    else this.#add(name, value);
  }

  #button(name: string, type: string): void {
    if (type !== 'submit' && type !== 'image') return;
    const reader = this.#reader;
    const value = reader.value('value') ?? '';
    const field: Field | null = type === 'image' || name === '' ? null : [name, value];
    const place = this.#fields.length;
    this.#buttons.push({ place, field, action: reader.value('formaction'), method: reader.value('formmethod') });
  }

  #option(after: number): void {
    if (this.#select === null || this.#reader.value('disabled') !== undefined) return;
    const end = this.#document.chars.indexOf('<', after);
    const text = this.#document.text(after, end < 0 ? after : end);
    const value = this.#reader.value('value') ?? text.trim().replace(/\s+/g, ' ');
    const field: Field = [this.#select.name, value];
    this.#firstOption ??= field;
    if (this.#reader.value('selected') === undefined) return;
    if (this.#select.isSingle) this.#selected = field;
    else this.#add(field[0], value);
  }

  /** A list in which nothing is selected sends its first option. */
  #endSelect(): void {
    const select = this.#select;
    const sent = select?.isSingle ? (this.#selected ?? this.#firstOption) : null;
    this.#select = null;
    this.#selected = null;
    this.#firstOption = null;
    if (sent === null) return;
    if (select!.isRequired && sent[1] === '') this.#needsInput = true;
    this.#add(sent[0], sent[1]);
  }

  #add(name: string, value: string): void {
    if (name !== '') this.#fields.push([name, value]);
  }

  urls(pageUrl: string): FormUrls {
    // Without a button, the form is sent when somebody presses Enter.
    const buttons: readonly SubmitButton[] =
      this.#buttons.length > 0 ? this.#buttons : [{ place: 0, field: null, action: undefined, method: undefined }];
    const urls = new Set<string>();
    const actions = new Set<string>();
    for (const { place, field, action = this.#action ?? '', method = this.#method } of buttons) {
      const isGet = method.toLowerCase() !== 'post' && method.toLowerCase() !== 'dialog';
      if (isGet && !this.#needsInput && this.#fields.length <= MAX_FIELDS) {
        const sent = field === null ? this.#fields : this.#fields.toSpliced(place, 0, field);
        urls.add(`${withoutQuery(action.trim() === '' ? pageUrl : action.trim())}?${sent.map(encodeField).join('&')}`);
      } else if (action.trim() !== '') actions.add(action.trim());
    }
    return { urls: [...urls], actions: [...actions] };
  }
}

/** A GET form replaces the query of its action. */
function withoutQuery(action: string): string {
  const end = action.search(/[?#]/);
  return end < 0 ? action : action.slice(0, end);
}

function encodeField([name, value]: Field): string {
  return `${encodeForm(name)}=${encodeForm(value)}`;
}

/**
 * The encoding of forms (URL standard 5.2). Letters outside ASCII stay as written: like those of a
 * link, they are encoded when the URL is resolved.
 */
function encodeForm(text: string): string {
  return text
    .replace(/\r\n?|\n/g, '\r\n')
    .replace(/[\0-)+,/:-@[-^`{-~]/g, (mark) => (mark === ' ' ? '+' : encodeMark(mark)));
}

function encodeMark(mark: string): string {
  return `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
