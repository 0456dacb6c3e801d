/**
 * One pair of parentheses, or the whole query: joins operands and operators by their precedence. NOT binds first, then
 * NEAR, AND, XOR, OR; words beside each other come last. In: operands and operators in order. Out: one operand.
 *
 * Beside each other, bare words are optional and everything else is required: `a "b c" -d` needs the phrase, must not
 * have d, and pages with a come first.
 */
import type { QueryField } from './fields.ts';
import { isRestriction, type PatternQuery, type PhraseQuery, type Query, type WordQuery } from './query.ts';
import { type NoteList, quoted } from './query-notes.ts';
import type { Operator } from './read-tokens.ts';

export interface Operand {
  readonly query: Query;
  /** A word or a pattern without a sign, a field of its own or an operator. Beside other words it is optional. */
  readonly isBare: boolean;
}

type BareQuery = WordQuery | PatternQuery;

export class QueryGroup {
  /** The field before the parenthesis. */
  readonly field: QueryField;
  readonly #notes: NoteList;
  readonly #optional: BareQuery[] = [];
  readonly #required: Query[] = [];
  readonly #restrictions: Query[] = [];

  // The operands of the element that is being read, one list for each operator. The tightest is the shortest-lived.
  #near: Query[] = [];
  #distances: number[] = [];
  #and: Query[] = [];
  #xor: Query[] = [];
  #or: Query[] = [];
  #isBareElement = false;

  #operator: { readonly operator: Operator; readonly distance: number; readonly written: string } | null = null;
  #not: { readonly written: string; readonly isOdd: boolean } | null = null;
  #isMust = false;

  constructor(field: QueryField, notes: NoteList) {
    this.field = field;
    this.#notes = notes;
  }

  operator(operator: Operator, distance: number, written: string): void {
    const hasLeft = this.#near.length > 0;
    if (!hasLeft || this.#operator !== null || this.#not !== null) this.#ignore(written);
    else this.#operator = { operator, distance, written };
  }

  not(written: string): void {
    this.#not = { written, isOdd: this.#not === null || !this.#not.isOdd };
  }

  must(): void {
    this.#isMust = true;
  }

  add(operand: Operand): void {
    const { query } = operand;
    const isBare = operand.isBare && this.#not === null && !this.#isMust;
    const signed = this.#not?.isOdd === true ? negated(query) : query;
    const operator = this.#operator;
    if (operator === null) {
      this.#closeElement();
      this.#isBareElement = isBare;
    } else {
      this.#isBareElement = false;
      if (operator.operator === 'near') this.#distances.push(operator.distance);
      else this.#close(operator.operator);
    }
    this.#near.push(signed);
    this.dropSigns();
  }

  /** Called when the operand that signs and operators wait for was left out. */
  dropSigns(): void {
    this.#operator = null;
    this.#not = null;
    this.#isMust = false;
  }

  /** Null: the group is empty. */
  finish(): Operand | null {
    if (this.#operator !== null) this.#ignore(this.#operator.written);
    if (this.#not !== null) this.#ignore(this.#not.written);
    this.#closeElement();
    const isPlain = this.#optional.length > 0 && this.#optional.length + this.#required.length > 1;
    const words: Query[] = isPlain
      ? [{ kind: 'plain', required: this.#required, optional: this.#optional }]
      : [...this.#required, ...this.#optional];
    const all = [...words, ...this.#restrictions];
    if (all.length === 0) return null;
    if (all.length > 1) return { query: { kind: 'and', operands: all }, isBare: false };
    return { query: all[0]!, isBare: !isPlain && this.#optional.length === 1 };
  }

  #ignore(written: string): void {
    this.#notes.add('operator-ignored', quoted(written));
  }

  #closeElement(): void {
    if (this.#near.length === 0) return;
    this.#close('or');
    const query = joined('or', this.#or);
    this.#or = [];
    if (this.#isBareElement) this.#optional.push(query as BareQuery);
    else if (isRestriction(query)) this.#restrictions.push(query);
    else this.#required.push(query);
  }

  /** Closes everything that binds tighter than the operator, so that its next operand can begin. */
  #close(operator: 'and' | 'xor' | 'or'): void {
    this.#and.push(...this.#closeNear());
    if (operator === 'and') return;
    this.#xor.push(joined('and', this.#and));
    this.#and = [];
    if (operator === 'xor') return;
    this.#or.push(joined('xor', this.#xor));
    this.#xor = [];
  }

  #closeNear(): Query[] {
    const [operands, distances] = [this.#near, this.#distances];
    [this.#near, this.#distances] = [[], []];
    if (operands.length === 1) return operands;
    const wrong = operands.find((operand) => !canBeNear(operand));
    if (wrong !== undefined || !operands.every(canBeNear)) {
      this.#notes.add('near-became-and', nameOf(wrong!));
      return operands;
    }
    const [distance] = distances as [number];
    if (distances.every((each) => each === distance)) return [{ kind: 'near', operands, distance }];
    // With different distances, each NEAR is about its two neighbours.
    return distances.map((each, at) => ({ kind: 'near', operands: operands.slice(at, at + 2), distance: each }));
  }
}

function joined(kind: 'and' | 'or' | 'xor', operands: readonly Query[]): Query {
  return operands.length === 1 ? operands[0]! : { kind, operands };
}

function negated(query: Query): Query {
  return query.kind === 'not' ? query.operand : { kind: 'not', operand: query };
}

/** Texts of links have no positions, so they are near to nothing. */
function canBeNear(query: Query): query is WordQuery | PhraseQuery {
  return (query.kind === 'word' || query.kind === 'phrase') && query.field !== 'anchor';
}

function nameOf(query: Query): string {
  switch (query.kind) {
    case 'word':
    case 'phrase':
      return `The text of a link (inanchor:)`;
    case 'pattern':
      return quoted(query.text);
    case 'not':
      return 'A part with NOT';
    case 'site':
    case 'filetype':
    case 'lang':
    case 'date':
    case 'changed':
    case 'link':
    case 'depth':
      return `A filter (${query.kind}:)`;
    default:
      return 'A group in parentheses';
  }
}
