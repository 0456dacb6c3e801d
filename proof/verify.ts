/**
 * `verify` finds every damage and nothing else. Checked on 10,000 pages, crawled and refreshed, with 100 random damages
 * of every kind, for several seeds; and on every byte of a small archive, one bit at a time.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verify } from '../src/library/verify.ts';
import { readSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import { checkFile } from '../src/verify/check-file.ts';
import { FileBytes } from '../src/verify/file-bytes.ts';
import type { Finding } from '../src/verify/findings.ts';
import type { VerifyOutcome } from '../src/verify/verify.ts';
import { readFindings } from '../src/verify/verify-state.ts';
import { runCli } from '../test/cli/setup/run-cli.ts';
import { crawlHere } from '../test/crawl/crawl-here.ts';
import { refreshHere } from '../test/crawl/refresh/refresh-here.ts';
import { VersionedCopy } from '../test/crawl/retention/rounds-of-versions.ts';
import { compare, type Damage, damageAtRandom, lostWith } from '../test/verify/damages.ts';
import { type MixedSite, serveMixedSite } from '../test/verify/mixed-site.ts';
import { SeededRandom } from '../testbed/random.ts';
import type { Proof, ProofContext, ProofRow } from './proof.ts';

const PAGES = 10_000;
const DAMAGES = 100;
const SEEDS = 10;
const NO_LIMIT = 1_000_000;

export const proof: Proof = {
  claim: 'verify finds each of 100 random damages in a copy of 10,000 pages, and tells of nothing else.',

  async run(context) {
    const [pages = PAGES, seeds = SEEDS] = context.words.map(Number);
    const site = await serveMixedSite(pages);
    try {
      const { dir, facts } = await makeCopy(context, site, pages);
      const sound = await verify({ dir, rate: 'none', restart: true });
      const rows: ProofRow[] = [atMost('findings on the sound copy', 0, total(sound))];
      let [missed, wrong, done] = [0, 0, 0];
      const seconds: number[] = [];
      const details: unknown[] = [];
      for (let seed = 1; seed <= seeds; seed++) {
        const result = await damagedCopy(context, dir, seed);
        missed += result.missed.length;
        wrong += result.wrong.length;
        done += result.damages.length;
        seconds.push(result.seconds);
        details.push({ seed, ...result, damages: countKinds(result.damages), found: result.outcome.findings });
        const { missed: none, wrong: more } = result;
        context.report(`seed ${seed}: ${result.damages.length} damages, ${none.length} missed, ${more.length} false`);
        for (const damage of none) context.report(`  missed: ${JSON.stringify(damage)}`);
        for (const finding of more.slice(0, 10)) context.report(`  false: ${JSON.stringify(finding)}`);
      }
      const alone = await ofItsOwn(dir);
      const bits = await everyByte(context);
      rows.push(
        {
          what: 'damages found',
          target: `${done} of ${done}`,
          measured: `${done - missed} of ${done}`,
          holds: missed === 0,
        },
        atMost('findings where nothing was damaged', 0, wrong),
        {
          what: 'flipped bits found, one in every byte of a small archive',
          target: `${bits.flips}`,
          measured: `${bits.found}`,
          holds: bits.found === bits.flips,
        },
        {
          what: 'time of one check without a rate limit',
          target: 'reported',
          measured: `${sound.seconds.toFixed(1)} s for ${(sound.bytes / 1e6).toFixed(0)} MB; damaged ${Math.min(...seconds).toFixed(1)}–${Math.max(...seconds).toFixed(1)} s`,
          holds: true,
        },
        {
          what: 'memory of the command at its peak',
          target: 'reported',
          measured: `${alone.peakRssMb} MB, ${alone.seconds} s`,
          holds: alone.damaged === 0,
        },
      );
      return { rows, notes: [...facts, `${seeds} seeds, ${DAMAGES} damages each.`], details };
    } finally {
      await site.close();
    }
  },
};

/**
 * Crawls the site into files of 2 MB, then refreshes it twice after a part of the pages has changed.
 * The second refresh also drops old versions.
 */
async function makeCopy({ workFolder, report }: ProofContext, site: MixedSite, pages: number) {
  const dir = join(workFolder, 'sound');
  const crawled = await crawlHere(dir, [`${site.origin}/`], { archiveFile: '1mb' });
  for (const [n, more] of [{}, { keep: '1' }].entries()) {
    site.revision = n + 2;
    await refreshHere(dir, more);
  }
  const files = readdirSync(join(dir, 'archive'));
  const bytes = files.reduce((sum, file) => sum + statSync(join(dir, 'archive', file)).size, 0);
  const facts = [
    `${crawled.fetched} answers of ${pages} pages crawled, then refreshed twice; ${files.length} archive files, ${(bytes / 1e6).toFixed(0)} MB.`,
  ];
  report(facts[0]!);
  return { dir, facts };
}

interface Result {
  readonly damages: readonly Damage[];
  readonly missed: readonly Damage[];
  readonly wrong: readonly Finding[];
  readonly seconds: number;
  readonly outcome: VerifyOutcome;
}

async function damagedCopy({ workFolder }: ProofContext, sound: string, seed: number): Promise<Result> {
  const dir = join(workFolder, `damaged-${seed}`);
  cpSync(sound, dir, { recursive: true });
  const archive = join(dir, 'archive');
  const damages = await damageAtRandom(archive, DAMAGES, new SeededRandom(seed), join(workFolder, 'other.warc.gz'));
  const outcome = await verify({ dir, rate: 'none', restart: true });
  const findings = readFindings(dir, outcome, NO_LIMIT);
  const { missed, wrong } = compare(damages, findings, await lostWith(dir, damages));
  if (missed.length + wrong.length === 0) rmSync(dir, { recursive: true });
  const { first: _, ...rest } = outcome;
  return { damages, missed, wrong, seconds: outcome.seconds, outcome: rest as VerifyOutcome };
}

/** Runs the command in its own process, on the undamaged copy. */
async function ofItsOwn(dir: string): Promise<{ peakRssMb: number; seconds: number; damaged: number }> {
  const { stdout } = await runCli('verify', '--dir', dir, '--rate', 'none', '--restart', '--json');
  return JSON.parse(stdout);
}

/** Flips one bit of every byte of some small files, one at a time. */
async function everyByte({ workFolder, report }: ProofContext): Promise<{ flips: number; found: number }> {
  const dir = join(workFolder, 'small');
  mkdirSync(dir);
  const copy = new VersionedCopy(dir, 8, new SeededRandom(3), 1_500);
  for (let round = 0; round < 3; round++) await copy.round();
  const store = readSqliteStore(dir);
  let [flips, found] = [0, 0];
  try {
    for (const captures of await store.capturesIn(copy.files())) {
      const path = join(copy.archiveDir, captures.file);
      const sound = readFileSync(path);
      for (let at = 0; at < sound.length; at++) {
        const flipped = Buffer.from(sound);
        flipped[at] = flipped[at]! ^ (1 << (at % 8));
        writeFileSync(path, flipped);
        const bytes = (await FileBytes.open(path, captures.file, captures.bytes, async () => {}))!;
        let findings = 0;
        await checkFile({
          store,
          bytes,
          captures,
          from: 0,
          counts: { records: 0, captures: 0, bytes: 0, unknownRecords: 0 },
          found: async () => void findings++,
          restored: async () => {},
          checkedTo: async () => false,
        });
        await bytes.close();
        flips++;
        if (findings === 1) found++;
        else report(`bit ${at % 8} of byte ${at} of ${captures.file}: ${findings} findings`);
      }
      writeFileSync(path, sound);
    }
  } finally {
    await store.close();
  }
  return { flips, found };
}

function total({ findings }: VerifyOutcome): number {
  return Object.values(findings).reduce((sum, some) => sum + some, 0);
}

function countKinds(damages: readonly Damage[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(damages, ({ kind }) => kind)].map(([kind, some]) => [kind, some.length]));
}

function atMost(what: string, most: number, measured: number): ProofRow {
  return { what, target: String(most), measured: String(measured), holds: measured <= most };
}
