import { readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Journal } from './journal.ts';
import { emptyManifest, type Manifest, readManifest } from './manifest.ts';
import { DamagedMemory } from './memory-error.ts';
import type { Notify } from './notices.ts';
import { RunFile } from './run-file.ts';

export interface Parts {
  readonly manifest: Manifest;
  readonly runs: readonly RunFile[];
  readonly journal: Journal;
  /** There was no memory, or no usable one. */
  readonly isNew: boolean;
}

const OURS = /^(?:pages-.*|memory\.json\.new|names-.*|lock\.\d.*)$/;

/** Opens the files of a memory and deletes unfinished files of a killed process. */
export function openParts(folder: string, maxJournalBytes: number, notify: Notify): Parts {
  let parts: Parts;
  try {
    parts = openWhole(folder, maxJournalBytes);
  } catch (error) {
    if (!(error instanceof DamagedMemory)) throw error;
    notify({ code: 'memory-damaged', message: `${error.message}; the watcher reads the whole site again` });
    parts = openAnew(folder, maxJournalBytes);
  }
  const kept = new Set(parts.manifest.runs.map(({ name }) => name));
  for (const name of readdirSync(folder)) if (OURS.test(name) && !kept.has(name)) unlinkSync(join(folder, name));
  return parts;
}

function openWhole(folder: string, maxJournalBytes: number): Parts {
  const found = readManifest(folder);
  const journal = Journal.open(folder, maxJournalBytes);
  const runs: RunFile[] = [];
  try {
    if (found === null && journal.lastSeq !== null) throw new DamagedMemory('there is a journal without a manifest');
    const manifest = found ?? emptyManifest(0);
    for (const record of manifest.runs) runs.push(RunFile.open(folder, record));
    return { manifest, runs, journal, isNew: found === null };
  } catch (error) {
    for (const run of runs) run.close();
    journal.close();
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new DamagedMemory((error as Error).message);
    throw error;
  }
}

/** The last number of a damaged memory is kept if it can be read, so that no number is given twice. */
function openAnew(folder: string, maxJournalBytes: number): Parts {
  let lastSeq = 0;
  try {
    lastSeq = readManifest(folder)?.seq ?? 0;
  } catch {}
  try {
    const journal = Journal.open(folder, maxJournalBytes);
    lastSeq = Math.max(lastSeq, journal.lastSeq ?? 0);
    journal.close();
  } catch {}
  for (const name of readdirSync(folder)) if (name.startsWith('journal-')) unlinkSync(join(folder, name));
  return { manifest: emptyManifest(lastSeq), runs: [], journal: Journal.open(folder, maxJournalBytes), isNew: true };
}
