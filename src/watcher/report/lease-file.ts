/** The lease on the disk: one small JSON file. */
import { readFile, rm } from 'node:fs/promises';
import { replaceJson } from './replace-file.ts';

export interface KeptLease {
  readonly holder: string;
  readonly token: string;
  readonly takenAtMs: number;
  readonly untilMs: number;
  /** The duration of the lease. After a restart it lasts no longer than this, whatever the clock says. */
  readonly forMs: number;
  /**
   * The uptime of the machine when the lease was given. It continues when the watcher restarts, and nobody can set it.
   */
  readonly uptimeMs: number;
  readonly seq: number;
  readonly isReleased: boolean;
  /** Whether the owner knows the holder. Files of earlier versions lack this field. */
  readonly isKnown?: boolean;
}

const SHAPE: Readonly<Record<keyof Omit<KeptLease, 'isKnown'>, 'string' | 'number' | 'boolean'>> = {
  holder: 'string',
  token: 'string',
  takenAtMs: 'number',
  untilMs: 'number',
  forMs: 'number',
  uptimeMs: 'number',
  seq: 'number',
  isReleased: 'boolean',
};

/**
 * An unreadable file may have been the lease of a crawler. It counts as held by an unknown holder for the longest time.
 */
export async function readLease(file: string, nowMs: number, longestMs: number): Promise<KeptLease | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const lost = { holder: 'unknown', token: '', takenAtMs: nowMs, untilMs: nowMs + longestMs, forMs: longestMs };
  return parseLease(text) ?? { ...lost, uptimeMs: 0, seq: 0, isReleased: false };
}

function parseLease(text: string): KeptLease | null {
  try {
    const found = JSON.parse(text) as Record<string, unknown> | null;
    const isWhole = Object.entries(SHAPE).every(([name, type]) => typeof found?.[name] === type);
    return isWhole ? (found as unknown as KeptLease) : null;
  } catch {
    return null;
  }
}

export async function writeLease(file: string, lease: KeptLease): Promise<void> {
  await replaceJson(file, lease);
}

export async function forgetLease(file: string): Promise<void> {
  await rm(file, { force: true });
}
