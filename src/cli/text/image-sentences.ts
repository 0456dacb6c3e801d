/** Describes in words how an image changed. */
import type { ImageChange } from '../../change/image/compare-pictures.ts';
import { count } from './readable.ts';

/** For example `looks the same, 640 × 480 → 320 × 240 pixels`. */
export function imageText({ looksSame, width, height }: ImageChange): string {
  const looks = looksSame === null ? 'cannot be compared' : looksSame ? 'looks the same' : 'looks different';
  const [before, after] = [sizeText(width.before, height.before), sizeText(width.after, height.after)];
  const sizes = before === after ? after : `${before} → ${after}`;
  return `${looks}, ${sizes} pixels`;
}

function sizeText(width: number | null, height: number | null): string {
  return width === null || height === null ? 'unknown' : `${count(width)} × ${count(height)}`;
}
