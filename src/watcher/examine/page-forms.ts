/**
 * The forms of a page, and which of them a person has to fill in (W6): forms with a text field, a selection list or a
 * file field. A form with only buttons, checkboxes and hidden fields needs no person.
 */
/** All other input types, known or invalid, are filled in by a person. */
const NOT_FILLED_IN = new Set('hidden submit button image reset checkbox radio'.split(' '));
const MAX_FORMS = 1_000;
const MAX_TARGETS_PER_FORM = 20;

export type AttributeOf = (name: string) => string | undefined;

interface PageForm {
  readonly id: string;
  readonly name: string;
  /** As written, from the form and its buttons. */
  readonly actions: string[];
  needsPerson: boolean;
}

export class PageForms {
  readonly #forms: PageForm[] = [];
  /** Fields and buttons that name a form which may come later: `<input form="f">`. */
  readonly #namedFor: { form: string; needsPerson: boolean; action: string | undefined }[] = [];
  readonly #numbers = new Map<string, number>();
  #open = -1;
  hasPassword = false;

  /** The number of the open form; -1 if no form is open. */
  get current(): number {
    return this.#open;
  }

  /** A form inside a form is ignored. */
  start(attribute: AttributeOf): void {
    if (this.#open !== -1 || this.#forms.length >= MAX_FORMS) return;
    const form = { id: attribute('id') ?? '', name: attribute('name') ?? '', actions: [], needsPerson: false };
    this.#open = this.#forms.push(form) - 1;
    this.#forms[this.#open]!.actions.push(attribute('action') ?? '');
    if (form.id !== '' && !this.#numbers.has(form.id)) this.#numbers.set(form.id, this.#open);
  }

  end(): void {
    this.#open = -1;
  }

  /** Called for any other element. Returns whether it is a field that a person fills in. */
  element(tag: string, attribute: AttributeOf): boolean {
    const isField = isFilledIn(tag, attribute);
    if (isField && tag === 'input' && attribute('type')?.trim().toLowerCase() === 'password') this.hasPassword = true;
    const isButton = tag === 'button' || tag === 'input';
    const action = isButton ? attribute('formaction') : undefined;
    if (!isField && action === undefined) return false;
    const owner = attribute('form');
    if (owner !== undefined) {
      if (this.#namedFor.length < MAX_FORMS) this.#namedFor.push({ form: owner, needsPerson: isField, action });
    } else if (this.#open !== -1) addTo(this.#forms[this.#open]!, isField, action);
    return isField;
  }

  /** Call this after the whole page is read and before the methods below. */
  finish(): void {
    for (const { form, needsPerson, action } of this.#namedFor) {
      const owner = this.#forms[this.formCalled(form)];
      if (owner !== undefined) addTo(owner, needsPerson, action);
    }
  }

  needsPerson(form: number): boolean {
    return form !== -1 && this.#forms[form]!.needsPerson;
  }

  /** Whether the form with this id or name needs a person. If there is no such form, whether any form does. */
  needsPersonCalled(name: string): boolean {
    const called = this.#forms.filter((form) => name !== '' && (form.id === name || form.name === name));
    return (called.length > 0 ? called : this.#forms).some((form) => form.needsPerson);
  }

  /** -1 if there is no such form, or not yet. */
  formCalled(id: string): number {
    return this.#numbers.get(id) ?? -1;
  }

  /** The targets of forms that a person fills in, as written; '' is the page itself. */
  *actions(): Iterable<string> {
    for (const form of this.#forms) if (form.needsPerson) yield* form.actions;
  }
}

function addTo(form: PageForm, isField: boolean, action: string | undefined): void {
  if (isField) form.needsPerson = true;
  if (action !== undefined && form.actions.length < MAX_TARGETS_PER_FORM) form.actions.push(action);
}

function isFilledIn(tag: string, attribute: AttributeOf): boolean {
  const editable = attribute('contenteditable');
  if (editable !== undefined && editable.toLowerCase() !== 'false') return true;
  if (tag !== 'input' && tag !== 'textarea' && tag !== 'select') return false;
  if (attribute('readonly') !== undefined || attribute('disabled') !== undefined) return false;
  if (tag !== 'input') return true;
  const type = (attribute('type') ?? 'text').trim().toLowerCase();
  return !NOT_FILLED_IN.has(type);
}
