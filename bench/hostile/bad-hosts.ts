/**
 * Serves the bad behaviours of the test web as separate hosts, in one process beside the crawl:
 *
 *     node bad-hosts.ts <copies>
 *
 * Prints one JSON line when all hosts answer: the URLs to seed, and the expected result of each. Ends when its standard
 * input ends, so it never outlives the benchmark.
 */
import { get } from 'node:http';
import { BEHAVIOURS, type BehaviourName } from '../../testbed/web/behaviours.ts';
import { AS_PAGE, fateBehind, NAMES, ROBOTS_NAMES } from '../../testbed/web/fates.ts';
import { reply, startWeb } from '../../testbed/web/local-web.ts';

export interface BadUrl {
  readonly name: BehaviourName;
  /** The page itself behaves badly, or the robots.txt of a good page does. */
  readonly as: 'page' | 'robots';
  readonly url: string;
  /** The state, or the state and the reason. */
  readonly expected: string;
}

/** Above the addresses of the healthy web. Each copy has its own second octet. */
const FIRST_OCTET_OF_COPIES = 100;

/** Making the bomb takes long, so it is made once, before any measurement. */
const bomb = BEHAVIOURS.GzipBomb();

async function startPage(name: BehaviourName, address: string): Promise<BadUrl> {
  const web = await startWeb({ address });
  web.on('/GzipBomb', bomb);
  return { name, as: 'page', url: web.bad(name), expected: AS_PAGE[name] };
}

async function startBehindRobots(name: BehaviourName, address: string): Promise<BadUrl> {
  const web = await startWeb({ address });
  web.on('/robots.txt', name === 'GzipBomb' ? bomb : BEHAVIOURS[name]());
  web.on('/page', reply(`page of ${address} behind ${name}`));
  return { name, as: 'robots', url: web.url('/page'), expected: fateBehind(name) };
}

async function startAll(copies: number): Promise<BadUrl[]> {
  const urls: BadUrl[] = [];
  for (let copy = 0; copy < copies; copy++) {
    const network = `127.${FIRST_OCTET_OF_COPIES + copy}`;
    for (const [i, name] of NAMES.entries()) urls.push(await startPage(name, `${network}.1.${i + 1}`));
    for (const [i, name] of ROBOTS_NAMES.entries()) urls.push(await startBehindRobots(name, `${network}.2.${i + 1}`));
  }
  return urls;
}

async function askOnce(url: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    get(url, (response) => response.resume().once('end', resolve)).once('error', reject);
  });
}

const copies = Number(process.argv[2]);
if (!Number.isSafeInteger(copies) || copies < 1) {
  process.stderr.write('usage: bad-hosts.ts <copies>\n');
  process.exit(2);
}
const urls = await startAll(copies);
await askOnce(urls.find(({ name }) => name === 'GzipBomb')!.url);
process.stdout.write(`${JSON.stringify(urls)}\n`);
process.stdin.resume().once('end', () => process.exit(0));
