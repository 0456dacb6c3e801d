/**
 * Damages a sound archive at random places, which repeat with the same seed. Each damage has its place, so that
 * findings can be compared with damages: every damage has a finding, and every finding has a damage.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Finding } from '../../src/verify/findings.ts';
import { readWarcFile } from '../../testbed/archive/read-warc-file.ts';
import type { SeededRandom } from '../../testbed/random.ts';
import { exchange, noise, writerIn } from '../archive/exchange.ts';

export const DAMAGE_KINDS = [
  'flip',
  'flip-header',
  'flip-trailer',
  'flip-many',
  'zero',
  'garbage',
  'swap-records',
  'cut-out',
  'put-in',
  'cut-tail',
  'swap-files',
  'old-copy',
  'other-file',
  'delete',
] as const;
export type DamageKind = (typeof DAMAGE_KINDS)[number];

/** Damages that change one record and leave the other records in place. */
export const IN_PLACE: readonly DamageKind[] = ['flip', 'flip-header', 'flip-trailer', 'flip-many', 'zero', 'garbage'];
/** Damages of a whole file, or of a file from some offset on. A file gets at most one of them. */
export const OF_FILE: readonly DamageKind[] = [
  'cut-out',
  'put-in',
  'cut-tail',
  'swap-files',
  'old-copy',
  'other-file',
  'delete',
];

export interface Damage {
  readonly kind: DamageKind;
  /** The place of the damaged record, or the offset from which the file is damaged. */
  readonly places: readonly { readonly file: string; readonly from: number; readonly to: number }[];
}

export interface Place {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  readonly type: string;
}

/** Every record of some files, read with the archive's own reader from the sound copy. */
export async function recordsOf(dir: string, files: readonly string[]): Promise<Place[]> {
  const places: Place[] = [];
  for (const file of files) {
    for await (const { offset, length, type } of readWarcFile(join(dir, file)))
      places.push({ file, offset, length, type });
  }
  return places;
}

/** Damages one record. */
export function damageRecord(dir: string, place: Place, kind: DamageKind, random: SeededRandom): Damage {
  const { file, offset, length } = place;
  const path = join(dir, file);
  const bytes = readFileSync(path).subarray(offset, offset + length);
  const flip = (at: number): void => {
    bytes[at] = bytes[at]! ^ (1 + random.below(255));
  };
  if (kind === 'flip') flip(random.below(length));
  else if (kind === 'flip-header') flip(random.below(10));
  else if (kind === 'flip-trailer') flip(length - 1 - random.below(8));
  else if (kind === 'flip-many') for (let n = 0; n < 20; n++) flip((random.below(length) + n * 7) % length);
  else if (kind === 'zero') {
    const from = random.below(length);
    const to = Math.min(length, from + 1 + random.below(200));
    // If all these bytes are zero already, zeros would change nothing.
    if (bytes.subarray(from, to).every((byte) => byte === 0)) bytes[from] = 1;
    else bytes.fill(0, from, to);
  } else if (kind === 'garbage') for (let at = 0; at < length; at++) bytes[at] = random.below(256);
  else throw new Error(`${kind} is no damage of one record`);
  // Two flips of one byte may have cancelled each other.
  if (
    readFileSync(path)
      .subarray(offset, offset + length)
      .equals(bytes)
  )
    flip(0);
  writeAt(path, offset, bytes);
  return { kind, places: [{ file, from: offset, to: offset + length }] };
}

/** Swaps two records of the same length. */
export function swapRecords(dir: string, one: Place, other: Place): Damage {
  const [first, second] = [one, other].map(({ file, offset, length }) =>
    readFileSync(join(dir, file)).subarray(offset, offset + length),
  );
  writeAt(join(dir, one.file), one.offset, second!);
  writeAt(join(dir, other.file), other.offset, first!);
  return {
    kind: 'swap-records',
    places: [one, other].map(({ file, offset, length }) => ({ file, from: offset, to: offset + length })),
  };
}

/** Damages a whole file. `other` is the second file of a swap, or the file that replaces this one. */
export function damageFile(
  dir: string,
  file: string,
  records: readonly Place[],
  kind: DamageKind,
  random: SeededRandom,
  other: string | null,
): Damage {
  const path = join(dir, file);
  const own = records.filter((place) => place.file === file);
  const { offset, length } = own[1 + random.below(own.length - 1)]!;
  const whole = [{ file, from: 0, to: Number.POSITIVE_INFINITY }];
  const rest = [{ file, from: offset, to: Number.POSITIVE_INFINITY }];
  if (kind === 'cut-out') {
    const bytes = readFileSync(path);
    // Cuts out a whole record, or some bytes of it.
    const cut = random.below(2) === 0 ? [offset, offset + length] : [offset + random.below(length), offset + length];
    if (cut[0] === cut[1]) cut[0]!--;
    writeFileSync(path, Buffer.concat([bytes.subarray(0, cut[0]), bytes.subarray(cut[1])]));
    return { kind, places: rest };
  }
  if (kind === 'put-in') {
    const bytes = readFileSync(path);
    const garbage = Buffer.from(Array.from({ length: 1 + random.below(300) }, () => random.below(256)));
    writeFileSync(path, Buffer.concat([bytes.subarray(0, offset), garbage, bytes.subarray(offset)]));
    return { kind, places: rest };
  }
  if (kind === 'cut-tail') {
    truncateSync(path, offset + random.below(length));
    return { kind, places: rest };
  }
  // As in a backup from before the last pages: whole records only.
  if (kind === 'old-copy') {
    truncateSync(path, offset);
    return { kind, places: rest };
  }
  if (kind === 'delete') {
    rmSync(path);
    return { kind, places: whole };
  }
  if (kind === 'swap-files') {
    renameSync(path, `${path}.aside`);
    renameSync(join(dir, other!), path);
    renameSync(`${path}.aside`, join(dir, other!));
    return { kind, places: [...whole, { file: other!, from: 0, to: Number.POSITIVE_INFINITY }] };
  }
  if (kind === 'other-file') {
    // The replacement has the same length and the same name.
    const { size } = statSync(path);
    copyFileSync(other!, path);
    truncateSync(path, size);
    return { kind, places: whole };
  }
  throw new Error(`${kind} is no damage of a file`);
}

/** Returns the damages that were not found, and the findings at places without damage. */
export function compare(
  damages: readonly Damage[],
  findings: readonly Finding[],
  payloadUsers: ReadonlySet<string> = new Set(),
): { missed: Damage[]; wrong: Finding[] } {
  const isAt = ({ file, offset, bytes }: Finding, { kind, places }: Damage): boolean =>
    places.some((place) => {
      if (file !== place.file || offset === null) return false;
      // Two answers that no capture names can only be distinguished by the request after each of them.
      if (kind === 'swap-records' && offset === place.to) return true;
      return offset < place.to && offset + (bytes ?? 1) > place.from;
    });
  const ofFile = (finding: Finding, { places }: Damage): boolean =>
    places.some(({ file }) => finding.file === file) &&
    ['short-file', 'missing-file', 'swapped-file'].includes(finding.kind);
  const missed = damages.filter(
    (damage) => !findings.some((finding) => isAt(finding, damage) || ofFile(finding, damage)),
  );
  const wrong = findings.filter(
    (finding) =>
      !damages.some((damage) => isAt(finding, damage) || (OF_FILE.includes(damage.kind) && ofFile(finding, damage))) &&
      // A revisit is lost together with the payload that it refers to.
      !(finding.kind === 'lost-payload' && payloadUsers.has(`${finding.url} ${finding.fetchedAt}`)),
  );
  return { missed, wrong };
}

function writeAt(path: string, offset: number, bytes: Uint8Array): void {
  const fd = openSync(path, 'r+');
  try {
    writeSync(fd, bytes, 0, bytes.length, offset);
  } finally {
    closeSync(fd);
  }
}

/**
 * Makes random damages of all kinds, none of which hides another: a file is damaged as a whole, or in its records.
 * `other` is an archive file of another crawl; it is created if it is missing.
 */
export async function damageAtRandom(
  dir: string,
  count: number,
  random: SeededRandom,
  other: string,
): Promise<Damage[]> {
  const files = readdirSync(dir).sort();
  const records = await recordsOf(dir, files);
  if (!existsSync(other)) await otherFile(other);
  const left = [...files];
  const take = (): string => left.splice(random.below(left.length), 1)[0]!;
  const damages: Damage[] = [];
  // One damage of each kind for every twenty files or so.
  for (let n = 0; n < Math.max(1, Math.floor(files.length / 20)); n++) {
    for (const kind of OF_FILE) {
      if (left.length < 4) continue;
      const [file, second] = [take(), kind === 'swap-files' ? take() : other];
      damages.push(damageFile(dir, file, records, kind, random, second));
    }
  }
  const places = records.filter(({ file }) => left.includes(file));
  for (const pair of equalPairs(places).slice(0, Math.floor(count / 20))) {
    damages.push(swapRecords(dir, ...pair));
    for (const place of pair) places.splice(places.indexOf(place), 1);
  }
  while (damages.length < count) {
    const place = places.splice(random.below(places.length), 1)[0]!;
    damages.push(damageRecord(dir, place, random.pick(IN_PLACE), random));
  }
  return damages;
}

/** Answers of the same length in different files. */
function equalPairs(places: readonly Place[]): [Place, Place][] {
  const answers = places.filter(({ type }) => type === 'response' || type === 'revisit');
  const groups = [...Map.groupBy(answers, ({ length }) => length).values()];
  return groups.flatMap((group) => {
    const second = group.find(({ file }) => file !== group[0]!.file);
    return second === undefined ? [] : [[group[0]!, second] as [Place, Place]];
  });
}

/** Writes an archive file that is large enough to replace any other. */
async function otherFile(path: string): Promise<void> {
  const folder = mkdtempSync(join(dirname(path), 'other-'));
  const writer = writerIn(folder);
  for (let n = 0; n < 2_000; n++) {
    writer.append(exchange({ url: `http://other.test/${n}`, body: [noise(4_000, n)], contentType: 'image/png' }));
  }
  await writer.close();
  renameSync(join(folder, readdirSync(folder)[0]!), path);
  rmSync(folder, { recursive: true });
}

/** `url time` of the revisits whose payload has no sound copy left, computed from the database alone. */
export async function lostWith(dir: string, damages: readonly Damage[]): Promise<Set<string>> {
  const db = new DatabaseSync(join(dir, 'crawl.db'), { readOnly: true });
  const rows = db
    .prepare(
      `SELECT u.url, c.fetched_at AS at, c.payload_digest AS digest, c.revisit, f.name AS file, c.offset, c.length
       FROM captures c JOIN urls u ON u.id = c.url_id JOIN archive_files f ON f.id = c.file_id
       WHERE c.payload_digest IN (SELECT payload_digest FROM captures WHERE revisit = 1)`,
    )
    .all() as {
    url: string;
    at: number;
    digest: string;
    revisit: number;
    file: string;
    offset: number;
    length: number;
  }[];
  db.close();
  const isHit = ({ file, offset, length }: { file: string; offset: number; length: number }): boolean =>
    damages.some(({ places }) =>
      places.some((place) => place.file === file && offset < place.to && offset + length > place.from),
    );
  const lost = new Set<string>();
  for (const group of Map.groupBy(rows, ({ digest }) => digest).values()) {
    if (group.some((row) => row.revisit === 0 && !isHit(row))) continue;
    for (const row of group) if (row.revisit === 1) lost.add(`${row.url} ${new Date(row.at).toISOString()}`);
  }
  return lost;
}
