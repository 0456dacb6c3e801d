/** The attributes of an element that matter to RDFa. */

export class RdfaAttributes {
  readonly isMeta: boolean;
  vocab: string | null = null;
  prefix: string | null = null;
  /** The prefixes in `xmlns:` attributes, in lower case. */
  namespaces: Map<string, string> | null = null;
  typeOf: string | null = null;
  property: string | null = null;
  about: string | null = null;
  resource: string | null = null;
  rel: string | null = null;
  rev: string | null = null;
  href: string | null = null;
  src: string | null = null;
  content: string | null = null;
  datatype: string | null = null;
  datetime: string | null = null;
  /** False if the element changes nothing for itself and for the elements in it. */
  isRelevant = false;

  constructor(name: string, attributes: readonly string[]) {
    this.isMeta = name === 'meta';
    for (let i = 0; i < attributes.length; i += 2) this.#take(attributes[i] as string, attributes[i + 1] ?? '', name);
  }

  get declaresNames(): boolean {
    return this.vocab !== null || this.prefix !== null || this.namespaces !== null;
  }

  #take(attribute: string, value: string, element: string): void {
    switch (attribute) {
      case 'vocab':
      case 'prefix':
      case 'property':
      case 'about':
      case 'resource':
      case 'rel':
      case 'rev':
      case 'href':
      case 'src':
        this[attribute] ??= value;
        this.isRelevant = true;
        break;
      case 'typeof':
        this.typeOf ??= value;
        this.isRelevant = true;
        break;
      case 'content':
      case 'datatype':
        this[attribute] ??= value;
        break;
      case 'datetime':
        if (element === 'time') this.datetime ??= value;
        break;
      default:
        if (attribute.startsWith('xmlns:')) this.#addNamespace(attribute.slice(6), value);
    }
  }

  #addNamespace(prefix: string, address: string): void {
    this.namespaces ??= new Map();
    this.namespaces.set(prefix.toLowerCase(), address);
    this.isRelevant = true;
  }
}
