import type { PageOutline } from '../../src/core/page/page-outline.ts';
import { outlinePage } from '../../src/page/outline/outline.ts';

export function outlineOf(html: string): PageOutline {
  return outlinePage(Buffer.from(html), 'text/html; charset=utf-8')!;
}
