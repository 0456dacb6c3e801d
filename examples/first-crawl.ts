/**
 * A first crawl: prints up to fifty pages of a site as they arrive.
 *
 *   node examples/first-crawl.ts https://example.com/
 */
import { crawl, OrbweaverError } from 'orbweaver';

const [seed] = process.argv.slice(2);
if (seed === undefined) {
  console.error('The URL of the site is missing; write: node examples/first-crawl.ts https://example.com/');
  process.exit(2);
}

try {
  // The crawl starts here. Without a `dir` its copy is temporary. With a `dir` it is kept, and the next run continues.
  const site = crawl(seed, {
    limit: 50,
    userAgent: 'FirstCrawl/1.0 (put a way to contact you here)',
  });

  // After Ctrl-C the running requests are finished, then the loop ends.
  process.once('SIGINT', () => site.stop());

  let words = 0;
  for await (const page of site) {
    // Facts such as the title are available at once. The content is read from the copy on demand.
    const { text, links } = await page.content();
    words += text.split(/\s+/).length;
    // Anybody can write a title. As JSON it cannot control the terminal.
    console.log(`${page.url}  ${JSON.stringify(page.title)}  ${links.length} links`);
  }

  const { pages, duplicates, failed, seconds } = await site.summary;
  console.log(`${pages} pages, ${duplicates} duplicates, ${failed} failed: ${words} words in ${seconds} s`);
} catch (error) {
  // Failures of the web are never thrown. Only wrong usage and errors of Orbweaver are, each with a stable code.
  if (!(error instanceof OrbweaverError)) throw error;
  console.error(`${error.message} [${error.code}]`);
  process.exitCode = error.exitCode;
}
