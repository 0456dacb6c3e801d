/** markdown-it with its plugin for footnotes: renders Markdown to HTML with code that is not ours. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { install } from '../peers/install.ts';

const VERSION = '14.1.0';
const FOOTNOTE_VERSION = '4.0.0';

export interface Renderer {
  readonly version: string;
  render(markdown: string): string;
}

interface MarkdownIt {
  use(plugin: unknown): MarkdownIt;
  render(markdown: string): string;
}

export async function loadRenderer(workFolder: string, report: (text: string) => void): Promise<Renderer> {
  const folder = join(workFolder, 'markdown-it');
  const packages = [`markdown-it@${VERSION}`, `markdown-it-footnote@${FOOTNOTE_VERSION}`];
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--save-exact'];
  const sources = [[join(import.meta.dirname, '../peers/crawlee/package.json'), 'package.json']] as const;
  const failure = await install({ folder, sources, steps: [['npm', 'install', ...flags, ...packages]] }, report);
  if (failure !== undefined) throw new Error(`markdown-it cannot be installed: ${failure}`);
  const load = (path: string) => import(pathToFileURL(join(folder, 'node_modules', path)).href);
  const { default: MarkdownIt } = await load('markdown-it/index.mjs');
  const { default: footnotes } = await load('markdown-it-footnote/index.mjs');
  const renderer = (new MarkdownIt({ html: true }) as MarkdownIt).use(footnotes);
  return { version: `markdown-it ${VERSION}`, render: (markdown) => renderer.render(markdown) };
}
