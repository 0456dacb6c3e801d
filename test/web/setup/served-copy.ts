/**
 * A real server that shows a real small copy of a hostile site: titles, anchors, URLs and texts have markup, scripts and
 * characters that turn the direction of text. The copy was refreshed once, so it has changes and versions.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { refresh } from '../../../src/index.ts';
import { startLivingSite } from '../../../testbed/web/living-site.ts';
import { crawlHere } from '../../crawl/crawl-here.ts';
import { dataFolder } from '../../crawl/stored-crawl.ts';
import { MAIN } from '../../setup/built-program.ts';

/** Sets a mark in the page that shows it, if it is executed. */
export const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
export const TURNED = 'invoice\u202egpj.exe';

const asText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><title>${asText(title)}</title><h1>${asText(title)}</h1><p>An orb web has about thirty radii, and a spiral.</p>${body}<script>window.hacked=1;parent.hacked=1</script>`;
}

export interface ServedCopy {
  readonly url: string;
  /** The address with the token. */
  readonly link: string;
  readonly id: string;
  readonly site: string;
  /** Changes a page of the site, and refreshes the copy. */
  change(): Promise<void>;
}

const PAGES = 30;

export async function serveCopy(t: TestContext): Promise<ServedCopy> {
  const site = await startLivingSite(t);
  const paths = Array.from({ length: PAGES }, (_, i) => `/guide/${i}`);
  const links = paths.map((path) => `<a href="${path}">${path}</a>`).join('\n');
  const bad = '/odd/%3Cscript%3Ewindow.hacked=1%3C/script%3E?q=%22%3E%3Cimg%20src=x%20onerror=hacked=1%3E';
  site.set('/', page(HOSTILE, `${links}<a href="${bad}">${asText(HOSTILE)}</a><a href="/lost">${TURNED}</a>`));
  for (const path of paths) {
    site.set(path, page(`Guide ${path}`, `<h2>Radii</h2><ul><li>one<li>two</ul><pre>code</pre><a href="/">Home</a>`));
  }
  const tricks = `<a href="javascript:window.hacked=1">click</a><p>[x](javascript:window.hacked=1)</p>${asText(HOSTILE)}`;
  site.set('/odd/%3Cscript%3Ewindow.hacked=1%3C/script%3E', page(TURNED, tricks));
  site.set(bad, page(TURNED, tricks));
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s', search: true });
  site.set('/guide/1', page('Guide /guide/1', '<p>A new paragraph about spiders that wait in the hub.</p>'));
  site.set('/guide/2', page(HOSTILE, `<p>${asText(HOSTILE)} changed its words.</p>`));
  site.pages.set('/guide/3', { status: 410 });
  await refresh({ dir, patience: '0s' }).summary;
  return {
    ...(await startServe(t, dir)),
    site: site.web.origin,
    async change() {
      site.set('/guide/4', page('Guide anew', '<p>Words that nobody has read before.</p>'));
      await refresh({ dir, patience: '0s' }).summary;
    },
  };
}

async function startServe(t: TestContext, dir: string): Promise<Omit<ServedCopy, 'site' | 'change'>> {
  const words = ['serve', '--dir', dir, '--port', '0', '--json'];
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    await ended;
  });
  let text = '';
  for await (const part of child.stdout.setEncoding('utf8')) {
    text += part;
    if (text.endsWith('}\n')) break;
  }
  const { url, link } = JSON.parse(text) as { url: string; link: string };
  const list = (await (await fetch(new URL('/api/copies', url))).json()) as { copies: { id: string }[] };
  return { url, link, id: list.copies[0]!.id };
}
