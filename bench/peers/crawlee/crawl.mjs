// The Crawlee side of the benchmark.
//
//     node crawl.mjs <seed-url> <all|same-hostname>
import { CheerioCrawler, Configuration, log } from '@crawlee/cheerio';

const [seedUrl, strategy] = process.argv.slice(2);
log.setLevel(log.LEVELS.ERROR);

let pages = 0;
let failures = 0;
const crawler = new CheerioCrawler(
  {
    // A floor, so that its own scaling cannot take the busy machine of a benchmark for overload.
    minConcurrency: 32,
    maxConcurrency: 200,
    maxRequestRetries: 1,
    useSessionPool: false,
    persistCookiesPerSession: false,
    respectRobotsTxtFile: true,
    async requestHandler({ enqueueLinks }) {
      pages++;
      await enqueueLinks({ selector: 'a[href]', strategy });
    },
    failedRequestHandler() {
      failures++;
    },
  },
  // Queue in memory only; and all the memory it wants, else it throttles itself at a quarter of the machine's.
  new Configuration({ persistStorage: false, availableMemoryRatio: 0.8 }),
);
await crawler.run([seedUrl]);
process.stdout.write(`${JSON.stringify({ pages, failures })}\n`);
