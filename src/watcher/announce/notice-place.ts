/** Up to which change notices were accepted: a cursor like any reader's, in a small file. */
import { readFile } from 'node:fs/promises';
import { replaceFile } from '../report/replace-file.ts';

export interface NoticePlace {
  readonly epoch: string;
  readonly seq: number;
}

/** Null where there is none, or none that can be read. */
export async function readNoticePlace(file: string): Promise<NoticePlace | null> {
  try {
    const found = JSON.parse(await readFile(file, 'utf8')) as Partial<NoticePlace> | null;
    const isWhole = typeof found?.epoch === 'string' && Number.isSafeInteger(found.seq);
    return isWhole ? { epoch: found.epoch!, seq: found.seq! } : null;
  } catch {
    return null;
  }
}

export async function writeNoticePlace(file: string, place: NoticePlace): Promise<void> {
  await replaceFile(file, 0o600, async (handle) => {
    await handle.writeFile(JSON.stringify(place));
  });
}
