/**
 * A first crawl: up to fifty pages of a site, told as they come.
 *
 *   node examples/first-crawl.ts https://example.com/
 */
import { crawl, OrbweaverError } from 'orbweaver';

const [seed] = process.argv.slice(2);
if (seed === undefined) {
  console.error('Which site? node examples/first-crawl.ts https://example.com/');
  process.exit(2);
}

try {
  // The crawl begins here. Without a `dir` its copy is temporary; with one it is kept, and the next run goes on with it.
  const site = crawl(seed, {
    limit: 50,
    userAgent: 'FirstCrawl/1.0 (put a way to reach you here)',
  });

  // Ctrl-C: what is under way is finished, then the loop ends.
  process.once('SIGINT', () => site.stop());

  let words = 0;
  for await (const page of site) {
    // Facts such as the title are there at once; what a page says is read from the copy when it is asked for.
    const { text, links } = await page.content();
    words += text.split(/\s+/).length;
    // Titles are written by anybody: as JSON they can do nothing to a terminal.
    console.log(`${page.url}  ${JSON.stringify(page.title)}  ${links.length} links`);
  }

  const { pages, duplicates, failed, seconds } = await site.summary;
  console.log(`${pages} pages, ${duplicates} duplicates, ${failed} failed: ${words} words in ${seconds} s`);
} catch (error) {
  // What the web does never comes here, only what we, or whoever wrote the URL, did wrong. The code is stable.
  if (!(error instanceof OrbweaverError)) throw error;
  console.error(`${error.message} [${error.code}]`);
  process.exitCode = error.exitCode;
}
