/** All tools that only read, in the order in which clients show them. */
import { listChangesTool } from './list-changes.ts';
import { listSitesTool } from './list-sites.ts';
import { pageDiffTool } from './page-diff.ts';
import { pageLinksTool } from './page-links.ts';
import { readPageTool } from './read-page.ts';
import { searchTool } from './search.ts';
import type { ReadingTool } from './tool.ts';

export const READING_TOOLS: readonly ReadingTool[] = [
  listSitesTool,
  searchTool,
  readPageTool,
  pageLinksTool,
  listChangesTool,
  pageDiffTool,
];
