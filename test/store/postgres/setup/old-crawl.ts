/**
 * A crawl in layout 1 or 2 with rows in every table. Each of eight hosts has four URLs: two pages, which two commits
 * wrote, and two URLs that wait. The hosts are in several parts if there are several. The link lists of one part are
 * joined and counted; in the other parts each commit still has its own row.
 */
import { hash } from 'node:crypto';
import { encodeLinkList } from '../../../../src/graph/link-list.ts';
import type { Database } from '../../../../src/store/postgres/connection/database.ts';
import { addBacklinks } from '../../../../src/store/postgres/graph/backlink-blocks.ts';
import { urlKeyHex } from '../../../../src/url/key.ts';
import { encodeSegment } from '../../../graph/encode-segment.ts';
import { FILE, linksTo, NOW_MS } from '../../rows.ts';
import { createOldTables } from './old-layout.ts';

export const PATHS = ['/', '/a', '/b', '/c'];
const HOSTS = Array.from({ length: 8 }, (_, i) => `http://h${i}.test`);
const [FETCHED, WAITING] = [1, 0];

interface OldUrl {
  readonly id: number;
  readonly url: string;
  readonly part: number;
  readonly host_id: number;
  readonly path: string;
}

export interface OldCrawl {
  readonly hosts: readonly { readonly id: number; readonly part: number; readonly host: string }[];
  readonly urls: readonly OldUrl[];
  /** The ids that each page links to. */
  readonly links: ReadonlyMap<number, readonly number[]>;
}

export async function makeOldCrawl(db: Database, version: number, parts: number): Promise<OldCrawl> {
  await createOldTables(db, version, parts);
  const partOf = (hex: string): number => Number.parseInt(hex.slice(0, 8), 16) % parts;
  const hosts = HOSTS.map((host, i) => {
    const part = partOf(hash('sha256', host));
    return { id: (i + 1) * parts + part, part, host };
  });
  const urls = hosts.flatMap(({ id: host_id, part, host }, i) =>
    PATHS.map((path, k): OldUrl => ({ id: i * PATHS.length + k + 1, url: host + path, part, host_id, path })),
  );
  const insert = async (table: string, rows: readonly object[]): Promise<void> => {
    const columns = Object.keys(rows[0]!)
      .map((column) => `"${column}"`)
      .join();
    await db.run(
      `INSERT INTO ${db.schema}.${table} (${columns})
       SELECT ${columns} FROM json_populate_recordset(NULL::${db.schema}.${table}, $1::text::json)`,
      [JSON.stringify(rows)],
    );
  };
  const at = (path: string): OldUrl[] => urls.filter((url) => url.path === path);
  const [first, second, third] = [at('/'), at('/a'), at('/b')];
  const pages = [...first, ...second];
  const digestOf = ({ url }: OldUrl): string => hash('sha256', `content of ${url}`);
  const links = new Map(
    pages.map(({ id, path }) => [id, path === '/' ? [id + 1, id + 2, (id + PATHS.length) % urls.length] : [id + 2]]),
  );

  await insert('notes', [{ name: 'seeds', value: '[]' }]);
  await insert('totals', [{ slot: 3, name: 'state/waiting', value: 16 }]);
  await insert(
    'archive_files',
    [{ id: 1, name: FILE, bytes: 9_000, owner: '', machine: '', folder: '', dropped: 0 }].map((row) => ({
      ...row,
      dropped_bytes: 0,
    })),
  );
  await insert('moved_payloads', [{ digest: 'sha1:moved', url_id: 1, fetched_at: NOW_MS }]);
  await insert('mirrors', [{ first: hosts[0]!.id, second: hosts[1]!.id, same: 2, different: 1 }]);
  const counts = { asked_at: 5, blocked_until: 0, waiting: 2, fetched: 2, failed: 0 };
  const robots = { robots_status: 200, robots_body: '\\x41', robots_at: NOW_MS };
  // The last host is shared by two workers.
  const lease_owner = (i: number): string | null => (i === hosts.length - 1 ? '*' : null);
  await insert(
    'hosts',
    hosts.map((host, i) => ({ ...host, slot: i, ready_at: NOW_MS, lease_owner: lease_owner(i), ...counts, ...robots })),
  );
  const { id: sharedId, part: sharedPart } = hosts.at(-1)!;
  await insert(
    'host_shares',
    [0, 1].map((share) => ({ part: sharedPart, host_id: sharedId, share, shares: 2, ready_at: 0 })),
  );
  await insert(
    'urls',
    urls.map(({ id, part, host_id, url, path }) => ({
      ...{ id, part, host_id, url, key: urlKeyHex(url), state: path === '/' || path === '/a' ? FETCHED : WAITING },
      ...{ hops: 0, depth: 1, rank: id, failures: 0, via: path === '/' ? null : 1 },
    })),
  );
  await insert(
    'pages',
    pages.map((page) => ({
      ...{ url_id: page.id, part: page.part, noindex: false, outlinks: links.get(page.id)!.length, bytes: 10 },
      ...{ digest: `\\x${digestOf(page)}`, graph_seq: page.path === '/' ? 1 : 2, title: page.url, language: 'en' },
    })),
  );
  await insert(
    'contents',
    pages.map((page) => ({
      ...{ part: partOf(digestOf(page)), url_part: page.part, digest: digestOf(page).slice(0, 32), url_id: page.id },
    })),
  );
  await insert(
    'prints',
    first.map(({ id, part }) => ({ part: id % parts, url_part: part, print: id, url_id: id })),
  );
  await insert(
    'visits',
    pages.map(({ id, part, host_id }) => ({
      ...{ url_id: id, part, host_id, kind: 0, is_source: false, depth: 1, pattern: 1, checked_at: NOW_MS, checks: 0 },
      ...{ streak: 0, failures: 0, changes: 0, changed_log: 0, quiet_ms: 0, interval_ms: 0, not_before: 0 },
      ...{ claimed_at: 0, claim_seen: 0 },
    })),
  );
  await insert(
    'claims',
    third.map(({ id, part }) => ({ part, url_id: id, claimed_at: NOW_MS - 1 })),
  );
  const trust = { confirmed: 1, false_alarms: 2, missed: 3, quiet: 4 };
  await insert(
    'sources',
    hosts.map(({ id, part }) => ({ part, host_id: id, ...trust })),
  );
  await insert(
    'watchers',
    hosts.map(({ id, part, host }) => ({
      part,
      host_id: id,
      url: `${host}/report`,
      asked_at: 1,
      read_at: 2,
      ...trust,
    })),
  );
  await insert(
    'watch_marks',
    first.map(({ id, part, host_id }) => ({ part, host_id, url_id: id, mark: 1 })),
  );
  await insert(
    'changes',
    first.map(({ id, part }) => ({ part, seq: id, url_id: id, at: NOW_MS, kind: 0, title: 'new' })),
  );
  const captureOf = ({ id, part }: OldUrl, fetched_at: number) => ({
    ...{ url_id: id, part, status: 200, revisit: false, fetched_at, file_id: 1, offset: id * 10, length: 10 },
    ...{ content_type: 'text/html', payload_digest: `sha1:${id}` },
  });
  await insert('captures', [
    ...pages.map((page) => captureOf(page, NOW_MS)),
    ...second.map((page) => captureOf(page, NOW_MS + 1)),
  ]);
  await insert(
    'looked_again',
    second.map(({ id, part }) => ({ part, url_id: id, judge_from: 7 })),
  );
  if (version > 1) {
    await insert(
      'damaged_captures',
      second.map(({ id }) => ({ url_id: id, fetched_at: NOW_MS, found_at: 8, problem: 'lost' })),
    );
  }
  await insert(
    'patterns',
    hosts.map(({ id, part }) => ({ part, host_id: id, pattern: '\\x0102030405060708', count: 9 })),
  );
  await insert(
    'parameters',
    hosts.map(({ id, part }, i) => ({
      ...{ part, id: i + 1, host_id: id, space: '/', name: 'sort', verdict: 1, pairs: 1, pages: 1, audits: 0 },
    })),
  );
  await insert(
    'parameter_bases',
    hosts.map(({ part }, i) => ({
      ...{ part, parameter_id: i + 1, base: '\\x01', essence: '\\x02', digest: '\\x03', pairs: 1, bare: true },
    })),
  );

  const listsOf = (some: readonly OldUrl[]): Uint8Array =>
    encodeSegment(some.map(({ id }) => ({ page: id, links: encodeLinkList(linksTo(links.get(id)!)) })));
  const graphRow = (
    part: number,
    some: readonly OldUrl[],
    seq: number,
    span: { first: number; closed: number | null },
  ) => ({
    ...{ part, seq, ...span, links: some.reduce((sum, { id }) => sum + links.get(id)!.length, 0) },
    lists: `\\x${Buffer.from(listsOf(some)).toString('hex')}`,
  });
  for (const [part, some] of Map.groupBy(pages, (page) => page.part)) {
    if (part === hosts[0]!.part) {
      await insert('graph', [graphRow(part, some, 2, { first: 1, closed: 1 })]);
      const targets = some.flatMap(({ id }) => links.get(id)!);
      await addBacklinks(db, db.schema, Float64Array.from(targets).sort(), 1);
    } else {
      const commits = [1, 2].map((seq) => some.filter(({ path }) => path === PATHS[seq - 1]));
      await insert(
        'graph',
        commits.map((commit, i) => graphRow(part, commit, i + 1, { first: i + 1, closed: null })),
      );
    }
  }
  const used = { url_ids: 1, host_numbers: hosts.length, parameter_ids: hosts.length, file_ids: 1, graph_seqs: 2 };
  for (const [name, value] of Object.entries({ ...used, change_seqs: urls.length, closings: 1 })) {
    await db.run(`SELECT setval('${db.schema}.${name}', $1)`, [value]);
  }
  return { hosts, urls, links };
}
