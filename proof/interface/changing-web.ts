/** A web whose pages change at every visit, so that every refresh commits many changes. */

import { type LocalWeb, startWeb } from '../../testbed/web/local-web.ts';
import { site } from '../../testbed/web/site.ts';

export async function startChangingWeb(pages: number): Promise<LocalWeb> {
  const web = await startWeb();
  const { html, paths } = site({ pages, bytes: 1_500 });
  const pageOf = new Map(paths.map((path, page) => [path, page]));
  let visits = 0;
  web.on('/*', ({ path, response }) => {
    const page = pageOf.get(path);
    if (page === undefined) return void response.writeHead(404).end();
    visits++;
    const news = `<p>Visitor ${visits} reads the sentence number ${visits * 31} of the story ${visits % 97} today.</p>`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(html(page).replace('</body>', `${news}</body>`));
  });
  return web;
}
