/**
 * A data folder in which pages were fetched several times, with their content at each time.
 * It is made with the real store and archive.
 */
import { join } from 'node:path';
import { ARCHIVE_FOLDER } from '../../src/crawl/place/data-folder.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { exchange, writerIn } from '../archive/exchange.ts';
import { claimOne, commit, found, NOW_MS, resultOf } from '../store/rows.ts';

export interface Answer {
  readonly at: string;
  readonly body: string | Buffer;
  readonly status?: number;
  /** Header names and values. Content-Type must come first. */
  readonly headers?: readonly string[];
}

/** Stores the responses. All URLs must be on one host. */
export async function keepAnswers(dir: string, answers: Readonly<Record<string, readonly Answer[]>>): Promise<void> {
  const archive = writerIn(join(dir, ARCHIVE_FOLDER));
  const store = openSqliteStore(dir, NOW_MS);
  await store.seed(
    Object.keys(answers).map((url) => found(url)),
    NOW_MS,
  );
  const lease = await claimOne(store);
  for (const task of lease.urls) {
    for (const { at, body, status = 200, headers = ['Content-Type', 'text/html'] } of answers[task.url]!) {
      const fetchedAtMs = Date.parse(at);
      const contentType = headers[1]!.split(';')[0]!;
      const rawHeaders = [...headers];
      const asked = exchange({
        url: task.url,
        fetchedAtMs,
        status,
        contentType,
        rawHeaders,
        body: [Buffer.from(body)],
      });
      const capture = { fetchedAtMs, status, contentType, ...archive.append(asked) };
      archive.flush();
      const results = [resultOf(lease, task, { state: 'waiting', capture })];
      await commit(store, results, { archive: archive.flush() });
    }
  }
  await archive.close();
  await store.close();
}

export const HOST = 'http://site.test';
export const NEWS = `${HOST}/news`;
export const PICTURE = `${HOST}/spider.png`;
export const ONCE = `${HOST}/once`;
export const LOST = `${HOST}/lost`;
export const NEVER = `${HOST}/never`;

const FRAME = (title: string, ...blocks: readonly string[]) =>
  `<!doctype html><title>${title}</title><h1>Orb-weavers</h1>\n${blocks.map((block) => `<p>${block}</p>\n`).join('')}`;

/**
 * Two contents, with an error and a redirect between them. Each content was seen twice; then only the markup changes.
 */
export const NEWS_ANSWERS: readonly Answer[] = [
  {
    at: '2026-03-01T08:00:00Z',
    body: FRAME('News', 'The web has thirty radii.', 'It is taken down at dawn.', 'Silk is strong.', 'The end.'),
  },
  {
    at: '2026-03-02T08:00:00Z',
    body: FRAME('News', 'The web has thirty radii.', 'It is taken down at dawn.', 'Silk is strong.', 'The end.'),
  },
  { at: '2026-03-03T08:00:00Z', body: 'not now', status: 503 },
  {
    at: '2026-03-04T08:00:00Z',
    body: '',
    status: 302,
    headers: ['Content-Type', 'text/html', 'Location', '/login\x1b[2J'],
  },
  {
    at: '2026-03-05T08:00:00Z',
    body: FRAME(
      'Fresh news',
      'The web has forty radii.',
      'It is taken down at dawn.',
      'Silk is strong.',
      'Evil \x9b31m.',
    ),
  },
  {
    at: '2026-03-06T08:00:00Z',
    body: FRAME(
      'Fresh news',
      'The web has forty radii.',
      'It is taken down at dawn.',
      'Silk is strong.',
      'Evil \x9b31m.',
    ),
  },
];

const PNG = ['Content-Type', 'image/png'];

export const SITE_ANSWERS: Readonly<Record<string, readonly Answer[]>> = {
  [NEWS]: NEWS_ANSWERS,
  [PICTURE]: [
    { at: '2026-03-01T08:00:00Z', body: Buffer.from([0x89, 0x50, 0, 1]), headers: PNG },
    { at: '2026-03-02T08:00:00Z', body: Buffer.from([0x89, 0x50, 0, 1, 2]), headers: PNG },
  ],
  [ONCE]: [{ at: '2026-03-01T08:00:00Z', body: '<p>once</p>' }],
  [LOST]: [{ at: '2026-03-01T08:00:00Z', body: 'no', status: 404 }],
  [NEVER]: [],
};
