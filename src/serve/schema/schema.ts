/**
 * Describes JSON values. One description gives three things: the TypeScript type, the check of a value that arrives,
 * and the JSON Schema that the OpenAPI document shows.
 *
 * What always holds: `parse` copies only described fields, so nothing else of a request reaches the program. It
 * throws a SchemaMismatch that names the place of the fault and never repeats the value, which may be a secret.
 */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Schema<T> {
  readonly json: JsonSchema;
  /** Checks a JSON value. `at` names its place in messages. */
  parse(value: unknown, at: string): T;
  /** Converts the text of a query parameter to the JSON value that `parse` expects. */
  readonly fromText?: (text: string) => unknown;
  readonly isOptional?: boolean;
}

export type Infer<S> = S extends Schema<infer T> ? T : never;

export class SchemaMismatch extends Error {}

function mismatch(at: string, expected: string): never {
  throw new SchemaMismatch(`${at === '' ? 'the request' : at} must be ${expected}`);
}

export interface TextLimits {
  readonly maxLength?: number;
  readonly format?: 'date-time' | 'uri';
  readonly about?: string;
}

export function text({ maxLength = 2_000, format, about }: TextLimits = {}): Schema<string> {
  return {
    json: { type: 'string', maxLength, ...(format && { format }), ...(about && { description: about }) },
    parse(value, at) {
      if (typeof value !== 'string') return mismatch(at, 'a text');
      return value.length <= maxLength ? value : mismatch(at, `a text of at most ${maxLength} characters`);
    },
    fromText: (given) => given,
  };
}

export interface NumberLimits {
  readonly min?: number;
  readonly max?: number;
  readonly about?: string;
}

export function whole({ min = 0, max = Number.MAX_SAFE_INTEGER, about }: NumberLimits = {}): Schema<number> {
  return {
    json: { type: 'integer', minimum: min, maximum: max, ...(about && { description: about }) },
    parse(value, at) {
      const isFitting = Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
      return isFitting ? (value as number) : mismatch(at, `a whole number from ${min} to ${max}`);
    },
    fromText: (given) => (/^-?\d{1,16}$/.test(given) ? Number(given) : given),
  };
}

export function decimal({ about }: { readonly about?: string } = {}): Schema<number> {
  return {
    json: { type: 'number', ...(about && { description: about }) },
    parse: (value, at) => (typeof value === 'number' && Number.isFinite(value) ? value : mismatch(at, 'a number')),
  };
}

export function flag(about?: string): Schema<boolean> {
  return {
    json: { type: 'boolean', ...(about && { description: about }) },
    parse: (value, at) => (typeof value === 'boolean' ? value : mismatch(at, 'true or false')),
    fromText: (given) => (given === 'true' ? true : given === 'false' ? false : given),
  };
}

export function oneOf<const Names extends readonly string[]>(names: Names, about?: string): Schema<Names[number]> {
  return {
    json: { type: 'string', enum: names, ...(about && { description: about }) },
    parse: (value, at) =>
      names.includes(value as string) ? (value as string) : mismatch(at, `one of ${names.join(', ')}`),
    fromText: (given) => given,
  };
}

export function nullable<T>(inner: Schema<T>): Schema<T | null> {
  return {
    json: { anyOf: [inner.json, { type: 'null' }] },
    parse: (value, at) => (value === null ? null : inner.parse(value, at)),
  };
}

export function list<T>(inner: Schema<T>, maxItems = 100_000, about?: string): Schema<readonly T[]> {
  return {
    json: { type: 'array', items: inner.json, maxItems, ...(about && { description: about }) },
    parse(value, at) {
      if (!Array.isArray(value) || value.length > maxItems) return mismatch(at, `a list of at most ${maxItems} items`);
      return value.map((item, i) => inner.parse(item, `${at}[${i}]`));
    },
  };
}

/** An object with any names as keys. */
export function record<T>(inner: Schema<T>, about?: string): Schema<Readonly<Record<string, T>>> {
  return {
    json: { type: 'object', additionalProperties: inner.json, ...(about && { description: about }) },
    parse(value, at) {
      if (!isObject(value)) return mismatch(at, 'an object');
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, inner.parse(item, `${at}.${name}`)]),
      );
    },
  };
}

/** Any JSON value, for data whose form the page decides. */
export const anything: Schema<unknown> = { json: {}, parse: (value) => value };

/** A field that may be absent. */
export function optional<T>(inner: Schema<T>): Schema<T | undefined> & { readonly isOptional: true } {
  return { ...inner, isOptional: true };
}

type Fields = Readonly<Record<string, Schema<unknown>>>;
type OptionalNames<F extends Fields> = { [K in keyof F]: F[K] extends { isOptional: true } ? K : never }[keyof F];
export type ObjectOf<F extends Fields> = {
  readonly [K in Exclude<keyof F, OptionalNames<F>>]: Infer<F[K]>;
} & { readonly [K in OptionalNames<F>]?: Infer<F[K]> };

export interface ObjectSchema<F extends Fields> extends Schema<ObjectOf<F>> {
  readonly fields: F;
}

/** Unknown fields are refused, because a misspelt field would otherwise be ignored silently. */
export function object<F extends Fields>(fields: F, about?: string): ObjectSchema<F> {
  const names = Object.keys(fields);
  const required = names.filter((name) => !fields[name]!.isOptional);
  return {
    fields,
    json: {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, fields[name]!.json])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
      ...(about && { description: about }),
    },
    parse(value, at) {
      if (!isObject(value)) return mismatch(at, 'an object');
      const parsed: Record<string, unknown> = {};
      for (const name of Object.keys(value)) {
        if (!Object.hasOwn(fields, name))
          mismatch(at, `an object with only these fields: ${names.join(', ') || 'none'}`);
      }
      for (const name of names) {
        if (value[name] === undefined && fields[name]!.isOptional) continue;
        parsed[name] = fields[name]!.parse(value[name], at === '' ? name : `${at}.${name}`);
      }
      return parsed as ObjectOf<F>;
    },
  };
}

/** A schema with a name of its own in the OpenAPI document. `json` is only a reference to it. */
export interface NamedSchema<T> extends Schema<T> {
  readonly name: string;
}

/** All named schemas, for the OpenAPI document. */
export const NAMED_SCHEMAS = new Map<string, JsonSchema>();

export function named<S extends Schema<unknown>>(name: string, schema: S): S & NamedSchema<Infer<S>> {
  NAMED_SCHEMAS.set(name, schema.json);
  return { ...schema, name, json: { $ref: `#/components/schemas/${name}` } } as S & NamedSchema<Infer<S>>;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
