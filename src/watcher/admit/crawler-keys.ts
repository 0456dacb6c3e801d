/**
 * The crawlers that an owner knows by name and key. In: the file of `--lease-keys` and the header of a request. Out:
 * the name of the crawler, or null if its proof is invalid.
 *
 * What always holds: no message and no response contains a key; codes are compared in constant
 * time; a proof gives the lease only once.
 */
import { timingSafeEqual } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { OrbweaverError } from '../../core/errors.ts';
import {
  type CrawlerKey,
  PROOF_LASTS_MS,
  parseCrawlerKey,
  parseProof,
  proofCode,
  SHORTEST_KEY,
} from '../../core/report-proof.ts';
import { isInside } from '../state-folder.ts';

const MAX_FILE_BYTES = 1_000_000;
/** Only the owner of a key can add entries. */
const MAX_USED = 10_000;

export class CrawlerKeys {
  readonly #keys: ReadonlyMap<string, string>;
  /** Proofs that have given the lease, with the time after which they are invalid anyway. */
  readonly #used = new Map<string, number>();

  constructor(keys: readonly CrawlerKey[]) {
    this.#keys = new Map(keys.map(({ name, key }) => [name, key]));
  }

  /** Null if the header proves nothing. */
  nameIn(header: string, site: string, query: string, nowMs: number): string | null {
    const proof = parseProof(header);
    if (proof === null || Math.abs(nowMs - proof.timeMs) > PROOF_LASTS_MS) return null;
    // An unknown name takes the same time, so that the response time does not reveal names.
    const key = this.#keys.get(proof.name);
    const right = Buffer.from(proofCode(key ?? '', site, query, proof.timeMs));
    const isRight = timingSafeEqual(right, Buffer.from(proof.code));
    return isRight && key !== undefined ? proof.name : null;
  }

  /**
   * Whether this proof may give the lease. A second use is refused, because an
   * attacker may have recorded the first one.
   */
  use(header: string, nowMs: number): boolean {
    for (const [code, endsMs] of this.#used) {
      if (endsMs > nowMs && this.#used.size < MAX_USED) break;
      this.#used.delete(code);
    }
    if (this.#used.has(header)) return false;
    this.#used.set(header, nowMs + 2 * PROOF_LASTS_MS);
    return true;
  }
}

/** Reads one `name:key` per line. Empty lines and lines that begin with `#` are ignored. */
export async function readCrawlerKeys(
  file: string,
  roots: readonly string[],
  warn: (line: string) => void,
): Promise<CrawlerKeys> {
  const refuse = (why: string): never => {
    throw new OrbweaverError('ERR_BAD_OPTION', `--lease-keys ${file}: ${why}`);
  };
  const { mode, size } = await stat(file).catch((error: Error) => refuse(error.message));
  if (size > MAX_FILE_BYTES) refuse('the file is too large for a list of keys');
  for (const root of roots) {
    if (isInside(await realpath(file), await realpath(root))) {
      refuse(`the file is inside the web root ${root}, where anybody could read it; move it elsewhere`);
    }
  }
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    warn(
      `other users of this machine can read --lease-keys ${file}; run chmod 600 on the file to keep the keys secret`,
    );
  }
  const keys: CrawlerKey[] = [];
  for (const [i, line] of (await readFile(file, 'utf8')).split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const found = parseCrawlerKey(line.trim());
    // The message must not contain the line, because the line is a secret.
    if (found === null)
      return refuse(`line ${i + 1} is not name:key with a key of at least ${SHORTEST_KEY} characters`);
    if (keys.some(({ name }) => name === found.name)) refuse(`line ${i + 1} repeats the name of an earlier line`);
    keys.push(found);
  }
  if (keys.length === 0) refuse('the file contains no name:key line');
  return new CrawlerKeys(keys);
}
