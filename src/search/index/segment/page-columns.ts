/**
 * The facts of the pages of a segment, in columns: one array for each fact. They stay in memory while the index is
 * open, about 30 bytes for each page.
 */

import { ByteReader, ByteWriter } from './byte-writer.ts';
import type { SectionWriter } from './section-writer.ts';

/** Numbers of four bytes, and of one byte, for each page. */
const WIDE = ['urlId', 'fetched', 'changed', 'host', 'linksAt', 'urlAt'] as const;
const NARROW = ['language', 'fileType', 'depth', 'flags', 'length', 'rank'] as const;
/** Names that pages share. Their columns have the number of the name. */
const TABLES = ['hosts', 'languages', 'fileTypes'] as const;

export const NOINDEX = 1;

export interface PageFacts {
  readonly urlId: number;
  /** In seconds; `changed` is 0 if the page never changed. */
  readonly fetched: number;
  readonly changed: number;
  readonly host: string;
  readonly pageRank: number;
  readonly linksAt: number;
  readonly urlAt: number;
  readonly language: string;
  readonly fileType: string;
  readonly depth: number;
  readonly flags: number;
  /** The code of the number of words (word-places.ts). */
  readonly length: number;
}

export class PageColumns {
  pages = 0;
  readonly wide: Record<(typeof WIDE)[number], Uint32Array>;
  readonly narrow: Record<(typeof NARROW)[number], Uint8Array>;
  readonly hosts: string[] = [];
  readonly languages: string[] = [];
  readonly fileTypes: string[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(capacity: number) {
    const wide = WIDE.map((name) => [name, new Uint32Array(capacity)]);
    const narrow = NARROW.map((name) => [name, new Uint8Array(capacity)]);
    this.wide = Object.fromEntries(wide);
    this.narrow = Object.fromEntries(narrow);
  }

  add(facts: PageFacts): void {
    const { wide, narrow } = this;
    if (this.pages === wide.urlId.length) this.#grow();
    const page = this.pages++;
    for (const name of ['urlId', 'fetched', 'changed', 'linksAt', 'urlAt'] as const) wide[name][page] = facts[name];
    wide.host[page] = this.#numberOf('hosts', facts.host);
    // A copy has few languages and types. What does not fit is unknown.
    narrow.language[page] = this.#numberOf('languages', facts.language) & 255;
    narrow.fileType[page] = this.#numberOf('fileTypes', facts.fileType) & 255;
    narrow.depth[page] = Math.min(255, facts.depth);
    narrow.flags[page] = facts.flags;
    narrow.length[page] = facts.length;
    narrow.rank[page] = rankCode(facts.pageRank);
  }

  factsOf(page: number): PageFacts {
    const { wide, narrow } = this;
    return {
      urlId: wide.urlId[page]!,
      fetched: wide.fetched[page]!,
      changed: wide.changed[page]!,
      linksAt: wide.linksAt[page]!,
      urlAt: wide.urlAt[page]!,
      host: this.hosts[wide.host[page]!] ?? '',
      pageRank: this.pageRank(page),
      language: this.languages[narrow.language[page]!] ?? '',
      fileType: this.fileTypes[narrow.fileType[page]!] ?? '',
      depth: narrow.depth[page]!,
      flags: narrow.flags[page]!,
      length: narrow.length[page]!,
    };
  }

  pageRank(page: number): number {
    return RANK_OF_CODE[this.narrow.rank[page] as number] as number;
  }

  #numberOf(table: (typeof TABLES)[number], name: string): number {
    const key = `${table} ${name}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const names = this[table];
    if (table !== 'hosts' && names.length === 255) return this.#numberOf(table, '');
    this.#numbers.set(key, names.length);
    return names.push(name) - 1;
  }

  #grow(): void {
    for (const name of WIDE) {
      const grown = new Uint32Array(2 * this.pages + 64);
      grown.set(this.wide[name]);
      this.wide[name] = grown;
    }
    for (const name of NARROW) {
      const grown = new Uint8Array(2 * this.pages + 64);
      grown.set(this.narrow[name]);
      this.narrow[name] = grown;
    }
  }

  write(section: SectionWriter): void {
    for (const name of WIDE) {
      const { buffer, byteOffset } = this.wide[name];
      section.append(new Uint8Array(buffer, byteOffset, 4 * this.pages));
    }
    for (const name of NARROW) section.append(this.narrow[name].subarray(0, this.pages));
    const tables = new ByteWriter();
    for (const name of TABLES) {
      tables.number(this[name].length);
      for (const text of this[name]) tables.text(text);
    }
    section.append(tables.written);
  }

  static read(bytes: Uint8Array, pages: number): PageColumns {
    const columns = new PageColumns(0);
    columns.pages = pages;
    let at = 0;
    for (const name of WIDE) {
      columns.wide[name] = new Uint32Array(bytes.slice(at, at + 4 * pages).buffer);
      at += 4 * pages;
    }
    for (const name of NARROW) {
      columns.narrow[name] = bytes.slice(at, at + pages);
      at += pages;
    }
    const reader = new ByteReader(bytes, at);
    for (const name of TABLES) for (let left = reader.number(); left > 0; left--) columns[name].push(reader.text());
    return columns;
  }
}

/** PageRank is stored in a byte, on a logarithmic scale: steps of 9 %. 0 means that it is unknown. */
const RANK_STEPS = 8;
const LEAST_RANK_BITS = -31;

function rankCode(rank: number): number {
  if (!(rank > 0)) return 0;
  return Math.max(1, Math.min(255, 1 + Math.round(RANK_STEPS * (Math.log2(rank) - LEAST_RANK_BITS))));
}

export const RANK_OF_CODE = Float64Array.from({ length: 256 }, (_, code) =>
  code === 0 ? 0 : 2 ** ((code - 1) / RANK_STEPS + LEAST_RANK_BITS),
);
