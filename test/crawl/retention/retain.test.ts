import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { listen } from '../../../src/core/events.ts';
import type { KeepRule } from '../../../src/core/options/keep-rule.ts';
import { ARCHIVE_FOLDER } from '../../../src/crawl/place/data-folder.ts';
import { LATEST_MS, readCopy, readRecord } from '../../../src/crawl/place/read-archived.ts';
import { type Retained, type RetainOptions, retain } from '../../../src/crawl/retention/retain.ts';
import { openSqliteStore, readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { exchange, writerIn } from '../../archive/exchange.ts';
import { claimOne, commit, found, NOW_MS, resultOf } from '../../store/rows.ts';
import { dataFolder } from '../stored-crawl.ts';
import { type Answer, capturesOf, ROUND_MS, VersionedCopy } from './rounds-of-versions.ts';

const SIZES = { maxBody: 1_000_000, maxSitemapBody: 0 };

async function retainIn(copy: VersionedCopy, rule: KeepRule, options?: RetainOptions): Promise<Retained> {
  const store = openSqliteStore(copy.dir, NOW_MS);
  try {
    return await retain(store, copy.archiveDir, rule, copy.nowMs, options);
  } finally {
    await store.close();
  }
}

const isContent = ({ status }: Answer) => status === 200;

/** The responses of one page that the rule keeps, computed in the simplest way. */
function keptByRule(there: readonly Answer[], rule: KeepRule, nowMs: number): Set<Answer> {
  const kept = new Set<Answer>();
  for (const series of [there.filter(isContent), there.filter((answer) => !isContent(answer))]) {
    const versions: Answer[][] = [];
    for (const answer of series) {
      const last = versions.at(-1);
      if (last !== undefined && isContent(answer) && last[0]!.body.equals(answer.body)) last.push(answer);
      else versions.push([answer]);
    }
    const current = versions.filter((_, i) => {
      if (rule.kind === 'all' || i === versions.length - 1) return true;
      if (rule.kind === 'newest') return i >= versions.length - rule.contents;
      // The version was current until the next one began, and that moment is within the span.
      return versions[i + 1]![0]!.atMs > nowMs - rule.spanMs;
    });
    for (const answer of current.flat()) kept.add(answer);
  }
  return kept;
}

/** Adds the responses whose payloads the kept responses refer to. */
function keptInAll(there: Map<string, Answer[]>, rule: KeepRule, nowMs: number): Set<Answer> {
  const kept = new Set([...there.values()].flatMap((answers) => [...keptByRule(answers, rule, nowMs)]));
  const referredTo = new Set(
    [...kept].filter(({ record }) => record.revisit).map(({ record }) => record.payloadDigest),
  );
  for (const answer of [...there.values()].flat()) {
    if (!answer.record.revisit && referredTo.has(answer.record.payloadDigest)) kept.add(answer);
  }
  return kept;
}

/** Asserts that every revisit in the archive refers, by id, to a response with its payload in the archive. */
async function assertReferencesHold(copy: VersionedCopy): Promise<number> {
  const records = await copy.records();
  const byId = new Map(records.map((record) => [record.warc.get('warc-record-id'), record]));
  assert.equal(byId.size, records.length, 'no id is there twice');
  const revisits = records.filter(({ type }) => type === 'revisit');
  for (const { warc } of revisits) {
    const first = byId.get(warc.get('warc-refers-to'));
    assert.equal(first?.type, 'response');
    for (const [name, of] of [
      ['warc-payload-digest', 'warc-payload-digest'],
      ['warc-refers-to-target-uri', 'warc-target-uri'],
      ['warc-refers-to-date', 'warc-date'],
    ]) {
      assert.equal(warc.get(name!), first.warc.get(of!));
    }
  }
  for (const { type, warc } of records) {
    if (type === 'request') assert.ok(byId.has(warc.get('warc-concurrent-to')), 'its response came along');
  }
  return revisits.length;
}

const RULES: readonly KeepRule[] = [
  { kind: 'all' },
  { kind: 'newest', contents: 1 },
  { kind: 'newest', contents: 2 },
  { kind: 'newest', contents: 4 },
  { kind: 'span', spanMs: 0 },
  { kind: 'span', spanMs: 2.5 * ROUND_MS },
  { kind: 'span', spanMs: 4 * ROUND_MS },
];

for (let seed = 1; seed <= 6; seed++) {
  test(`kept versions can be read, dropped ones are reported, and freed bytes are true (seed ${seed})`, async (t) => {
    const random = new SeededRandom(seed);
    const copy = new VersionedCopy(dataFolder(t), 12, random);
    const stale: (readonly [string, Answer])[] = [];
    let [dropped, freed] = [0, 0];
    for (let step = 0; step < 6; step++) {
      for (let rounds = 1 + random.below(3); rounds > 0; rounds--) await copy.round();
      const before = await copy.readBack();
      const rule = random.pick(RULES);
      // At 1, every file with a dropped record is rewritten. Then no old record can read a dropped response.
      const neededShare = random.pick([0.5, 1]);
      const expected = keptInAll(before, rule, copy.nowMs);
      const bytesBefore = copy.bytesOnDisk();
      const told = await retainIn(copy, rule, { neededShare });

      const after = await copy.readBack();
      const now = [...after.values()].flat();
      assert.deepEqual(new Set(now), expected, JSON.stringify(rule));
      assert.equal(told.captures, [...before.values()].flat().length - now.length);
      assert.equal(told.bytesFreed, bytesBefore - copy.bytesOnDisk());
      assert.ok(told.bytesFreed >= 0 && told.files > 0 === told.bytesFreed > 0);
      dropped += told.captures;
      freed += told.bytesFreed;

      const fates = new Set(now);
      for (const [url, answers] of before) {
        for (const answer of answers) if (!fates.has(answer)) stale.push([url, answer]);
      }
      const again = await retainIn(copy, rule, { neededShare });
      assert.deepEqual(again, { captures: 0, files: 0, bytesFreed: 0 }, 'nothing is left to do');
      if (neededShare < 1) continue;
      // A share of 1 also rewrites the files from which records were dropped earlier, at a smaller share.
      for (const [url, { record }] of stale.splice(0)) {
        const refused = { code: 'ERR_NOT_IN_COPY', message: /was dropped \(--keep\)/ };
        await assert.rejects(readRecord(copy.dir, url, record, SIZES), refused);
      }
      for (const [url, answers] of after) {
        for (const { record, body } of answers) {
          const { body: read } = await readRecord(copy.dir, url, record, SIZES);
          assert.ok(read.equals(body), 'a record from before leads to where it is now');
        }
      }
      await assertReferencesHold(copy);
      const records = await copy.records();
      const captures = records.filter(({ type }) => type === 'response' || type === 'revisit');
      assert.equal(captures.length, now.length, 'nothing but what is kept is on the disk');
    }
    assert.ok(dropped > 20 && freed > 10_000, `${dropped} captures, ${freed} bytes`);
  });
}

test('a new revisit record of a moved payload has the right record id, and both can be read', async (t) => {
  const copy = new VersionedCopy(dataFolder(t), 12, new SeededRandom(77));
  for (let n = 0; n < 4; n++) await copy.round();
  assert.ok((await retainIn(copy, { kind: 'newest', contents: 1 }, { neededShare: 1 })).files > 0);
  const filesBefore = new Set(copy.files());
  for (let n = 0; n < 4; n++) await copy.round();
  await copy.readBack();
  assert.ok((await assertReferencesHold(copy)) > 5);
  const intoMoved = (await copy.records()).filter(({ warc }) => {
    const file = warc.get('warc-refers-to-filename') ?? '';
    return filesBefore.has(file) && file.includes('-kept-');
  });
  assert.ok(intoMoved.length > 0, 'some refer to a record that was moved before');
});

test('a payload of a refused response stays as long as a revisit record refers to it', async (t) => {
  const dir = dataFolder(t);
  const archiveDir = join(dir, ARCHIVE_FOLDER);
  const writer = writerIn(archiveDir);
  const [url, other] = ['http://site.test/a', 'http://site.test/b'];
  const answer = (of: string, atMs: number, text: string) => {
    const place = writer.append(exchange({ url: of, fetchedAtMs: NOW_MS + atMs, body: [Buffer.from(text)] }));
    return { fetchedAtMs: NOW_MS + atMs, status: 200, contentType: 'text/html', ...place };
  };
  answer(other, 1, 'the same');
  const kept = answer(url, 2, 'the same');
  const old = answer(other, 3, 'old');
  const late = writerIn(archiveDir, { unit: 'u2' });
  const body = [Buffer.from('new')];
  const place = late.append(exchange({ url: other, fetchedAtMs: NOW_MS + 4, body }));
  const current = { fetchedAtMs: NOW_MS + 4, status: 200, contentType: 'text/html', ...place };
  await Promise.all([writer.close(), late.close()]);
  assert.equal(kept.revisit, true);
  const store = openSqliteStore(dir, NOW_MS);
  t.after(() => store.close());
  await store.seed([found(url), found(other)], NOW_MS);
  const lease = await claimOne(store);
  const archive = new Map([...writer.flush(), ...late.flush()]);
  for (const [i, capture] of [kept, old, current].entries()) {
    await commit(store, [resultOf(lease, lease.urls[i === 0 ? 0 : 1]!, { state: 'waiting', capture })], { archive });
  }
  const told = await retain(store, archiveDir, { kind: 'newest', contents: 1 }, NOW_MS, { neededShare: 1 });
  assert.deepEqual(told, { captures: 1, files: 0, bytesFreed: 0 });
  assert.equal((await readCopy(store, dir, url, LATEST_MS))?.body.toString(), 'the same');
});

test('several small files become one', async (t) => {
  const copy = new VersionedCopy(dataFolder(t), 8, new SeededRandom(5));
  for (let n = 0; n < 9; n++) await copy.round();
  assert.equal(copy.files().length, 9);
  const { files } = await retainIn(copy, { kind: 'newest', contents: 1 }, { neededShare: 1 });
  assert.ok(files >= 7, `${files} files were given up`);
  assert.equal(copy.files().filter((file) => file.includes('-kept-')).length, 1);
});

test('each step reports its progress, and a stop request ends retention cleanly', async (t) => {
  const copy = new VersionedCopy(dataFolder(t), 8, new SeededRandom(6));
  for (let n = 0; n < 5; n++) await copy.round();
  const steps: string[] = [];
  const stopListening = listen('retain/progress', ({ step }) => steps.push(step));
  t.after(stopListening);
  const one: KeepRule = { kind: 'newest', contents: 1 };
  const stopped = await retainIn(copy, one, { neededShare: 1, isStopped: () => steps.includes('dropped') });
  assert.deepEqual([steps, stopped.files], [['dropped'], 0]);
  const rest = await retainIn(copy, one, { neededShare: 1 });
  assert.ok(stopped.captures > 0 && rest.files > 0);
  assert.deepEqual(new Set(steps), new Set(['dropped', 'copied', 'written', 'moved', 'synced', 'removed']));
  assert.equal(steps.at(-1), 'removed');
  await copy.readBack();
});

test('a damaged file stays unchanged with a warning, and the others are rewritten', async (t) => {
  const copy = new VersionedCopy(dataFolder(t), 10, new SeededRandom(8));
  for (let n = 0; n < 5; n++) await copy.round();
  const store = readSqliteStore(copy.dir);
  const newest = (await Promise.all([...copy.answers.keys()].map((url) => capturesOf(store, url)))).map(
    ([first]) => first!,
  );
  await store.close();
  const victim = newest.find(({ file, revisit }) => !revisit && file !== copy.files().at(-1))!;
  const path = join(copy.archiveDir, victim.file);
  const bytes = readFileSync(path);
  bytes[victim.offset + victim.length - 5]! ^= 1;
  writeFileSync(path, bytes);
  const warnings: string[] = [];
  t.after(listen('crawl/warning', ({ message }) => warnings.push(message)));
  const { files } = await retainIn(copy, { kind: 'newest', contents: 1 }, { neededShare: 1 });
  assert.ok(files > 0);
  assert.deepEqual(warnings, [
    `${victim.file} is damaged at ${victim.offset}, so it stays unchanged and keeps its old versions`,
  ]);
  assert.ok(readFileSync(path).equals(bytes));
  truncateSync(path, 100);
  await retainIn(copy, { kind: 'newest', contents: 1 }, { neededShare: 1 });
  assert.equal(warnings.at(-1), `${victim.file} is damaged at 0, so it stays unchanged and keeps its old versions`);
  assert.equal(statSync(path).size, 100);
  assert.equal(readdirSync(copy.archiveDir).includes(victim.file), true);
});
