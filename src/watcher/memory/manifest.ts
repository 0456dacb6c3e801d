import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { FILE_MODES } from '../../core/file-modes.ts';
import { syncFolderSync } from '../../core/sync-folder.ts';
import type { SiteRoot } from '../site/site-options.ts';
import { DamagedMemory } from './memory-error.ts';
import { type RunRecord, syncFile, writeFully } from './run-file.ts';

const NAME = 'memory.json';
const FORMAT = 1;

/**
 * The list of the files that form the memory, and which changes they include. The manifest is replaced in one step, so
 * a reader sees either the old or the new one.
 */
export interface Manifest {
  readonly format: typeof FORMAT;
  readonly epoch: string;
  /** The runs include the changes up to this number. Later changes are only in the journal. */
  readonly seq: number;
  readonly pages: number;
  readonly isComplete: boolean;
  readonly sweptAtMs: number;
  /** The device of each root at the last sweep. */
  readonly devices: readonly number[];
  /** The roots by the numbers used in keys, including former roots; absent if no roots were named. */
  readonly roots?: readonly SiteRoot[];
  /** Newest first. */
  readonly runs: readonly RunRecord[];
}

export type Kept = Omit<Manifest, 'format'>;

/** Null if there is no manifest yet. */
export function readManifest(folder: string): Manifest | null {
  let text: string;
  try {
    text = readFileSync(join(folder, NAME), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  let manifest: Manifest;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw new DamagedMemory(`${NAME} cannot be read`);
  }
  const isOurs =
    manifest?.format === FORMAT &&
    typeof manifest.epoch === 'string' &&
    Number.isSafeInteger(manifest.seq) &&
    Number.isSafeInteger(manifest.pages) &&
    Array.isArray(manifest.devices) &&
    (manifest.roots === undefined || (Array.isArray(manifest.roots) && manifest.roots.every(isSiteRoot))) &&
    Array.isArray(manifest.runs);
  if (!isOurs) throw new DamagedMemory(`${NAME} has an unknown format or version`);
  return manifest;
}

function isSiteRoot(root: Partial<SiteRoot> | null): boolean {
  return typeof root?.folder === 'string' && typeof root.prefix === 'string';
}

export function emptyManifest(seq: number): Manifest {
  const epoch = randomBytes(6).readUIntBE(0, 6).toString(36);
  return { format: FORMAT, epoch, seq, pages: 0, isComplete: false, sweptAtMs: 0, devices: [], runs: [] };
}

export async function writeManifest(folder: string, kept: Kept): Promise<void> {
  const path = join(folder, NAME);
  const temporary = `${path}.new`;
  const fd = openSync(temporary, 'w', FILE_MODES.nobody);
  try {
    writeFully(fd, Buffer.from(`${JSON.stringify({ format: FORMAT, ...kept } satisfies Manifest)}\n`));
    await syncFile(fd);
  } catch (error) {
    closeSync(fd);
    unlinkSync(temporary);
    throw error;
  }
  closeSync(fd);
  renameSync(temporary, path);
  try {
    syncFolderSync(folder);
  } catch (cause) {
    throw new ManifestInDoubt('the new manifest may not survive a power cut', { cause });
  }
}

/**
 * The new manifest is in its place, but a power cut may still bring back the old one. Files that either of them names
 * must stay; when the memory is opened again, files that the manifest does not name are removed.
 */
export class ManifestInDoubt extends Error {
  get code(): string | undefined {
    return (this.cause as NodeJS.ErrnoException).code;
  }
}
