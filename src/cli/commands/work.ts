/** `orbweaver work`: joins a crawl in a database from any machine, and leaves it again. */
import { OrbweaverError } from '../../core/errors.ts';
import type { ClusterOptions } from '../../core/options/cluster-options.ts';
import { flagName, type GivenOptions, resolveOptions } from '../../core/options/options.ts';
import { LOG_FLAG } from '../../core/text/log-lines.ts';
import { plural, safeText } from '../../core/text/readable.ts';
import type { ClusterEntry } from '../../crawl/cluster/cluster-entry.ts';
import { JOINING_OPTIONS, startWork } from '../../crawl/cluster/worker.ts';
import type { CrawlSummary } from '../../crawl/crawl-summary.ts';
import { openCluster } from '../../crawl/place/cluster-store.ts';
import { COMMON_FLAGS, type Command, CRAWL_FLAGS, parseArguments, refuseWords, switchFlag } from '../arguments.ts';
import {
  CRAWLING_WORKER_FLAGS,
  type NamedCrawl,
  PLACE_FLAGS,
  resolveCrawl,
  STAY_FLAG,
  workerNameOf,
} from '../named-crawl.ts';
import { printJson, printLines } from '../output.ts';
import { showProgress } from '../progress.ts';
import { leftOutSentence, seedSentences, waitingHostSentences } from '../text/trouble-sentences.ts';
import { printEnd, untilStopped } from '../until-stopped.ts';

export const command: Command = {
  help: {
    usage: 'orbweaver work --store postgres://user@host/database [flags]',
    about: `Joins a crawl that was started with orbweaver crawl --store, on this machine or any other, and works until the crawl is
done. Workers may join and leave at any time: others take over the work of a worker that leaves or dies. Seeds and rules
come from the crawl. Options that may contain a secret (headers, passwords, proxies) and the amount of work come from
this command line.
Ctrl-C lets running requests finish, and so does --drain from any machine. Put the password into PGPASSWORD, or the URL
into ORBWEAVER_STORE; a password in --store is refused.`,
    examples: [
      'orbweaver crawl https://example.com/ --store postgres://crawler@db.example/crawls --plan',
      'orbweaver work --store postgres://crawler@db.example/crawls --archive /srv/archive',
      'orbweaver work --store postgres://crawler@db.example/crawls --name news --worker blue --stay',
      'orbweaver work --store postgres://crawler@db.example/crawls --drain --worker blue',
    ],
    flags: {
      ...PLACE_FLAGS,
      ...CRAWLING_WORKER_FLAGS,
      stay: STAY_FLAG,
      drain: {
        hint: '',
        help: 'ask the worker of --worker to finish its running requests and leave; this process does no other work',
      },
      log: LOG_FLAG,
      ...COMMON_FLAGS,
      ...Object.fromEntries(JOINING_OPTIONS.map(flagName).map((flag) => [flag, CRAWL_FLAGS[flag]!])),
    },
  },

  async run(words) {
    const args = parseArguments('work', words, command.help.flags);
    refuseWords('work', args, 'to add URLs: orbweaver crawl <url> --store …');
    const crawl = await resolveCrawl(args);
    const isJson = switchFlag(args, 'json');
    if (switchFlag(args, 'drain')) return askToDrain(crawl, isJson);
    const running = startWork({ ...clusterEntryOf(crawl, 'work'), own: ownOptions(crawl) });
    const summary = await untilStopped(running, showProgress(process.stderr));
    return printEnd(summary, sentences(summary, crawl), isJson);
  },
};

/** Builds what this process needs to join a cluster: how to open the store, and the description of the worker. */
export function clusterEntryOf(
  { place, options }: NamedCrawl,
  opening: 'begin' | 'work',
  newAssigning: ClusterOptions['assign'] | null = null,
): ClusterEntry {
  const { cluster, archives } = place;
  if (cluster === null) {
    throw new OrbweaverError(
      'ERR_USAGE',
      'the database of the crawl is missing; add --store postgres://user@host/database',
    );
  }
  const [archiveDir, ...others] = archives;
  if (others.length > 0) {
    throw new OrbweaverError(
      'ERR_USAGE',
      'a worker writes to one archive folder, so --archive may be given only once; several folders are for reading',
    );
  }
  const { lease: leaseMs, stay: stays, serveArchive, archiveToken } = options;
  if (serveArchive !== null && archiveToken === null) {
    throw new OrbweaverError(
      'ERR_SECRET_MISSING',
      '--serve-archive needs a secret that all machines share; set ORBWEAVER_ARCHIVE_TOKEN, or archive-token in config.yaml',
    );
  }
  const serving = serveArchive === null ? null : { ...serveArchive, secret: archiveToken! };
  return {
    open: () => openCluster(cluster, opening, newAssigning),
    worker: { name: workerNameOf({ options }), archiveDir: archiveDir!, leaseMs, stays, serving },
  };
}

/** Options that each worker decides for itself, each from its strongest source. */
function ownOptions({ sources }: NamedCrawl): GivenOptions {
  const own: GivenOptions = {};
  for (const name of JOINING_OPTIONS) {
    const source = sources.find(({ given }) => given[name] !== undefined);
    if (source === undefined) continue;
    // The environment and the configuration file apply to all commands. A worker takes only a refusal of private
    // addresses from them; a permission comes from the crawl.
    const isCrawls =
      name === 'allowPrivate' && source !== sources[0] && resolveOptions([source]).allowPrivate !== false;
    if (!isCrawls) own[name] = source.given[name];
  }
  return own;
}

async function askToDrain(crawl: NamedCrawl, isJson: boolean): Promise<number> {
  const { store, cluster } = await clusterEntryOf(crawl, 'work').open();
  try {
    const worker = workerNameOf(crawl);
    if (!(await cluster.askToDrain(worker))) throw await nobodyOf(worker, cluster);
    const line = `Asked worker ${worker} to leave. It finishes and saves its running requests first. See: orbweaver status ${crawl.again}`;
    if (isJson) printJson({ worker, asked: true });
    else printLines([line]);
    return 0;
  } finally {
    await store.close();
  }
}

type Workers = Awaited<ReturnType<ClusterEntry['open']>>['cluster'];

async function nobodyOf(worker: string, cluster: Pick<Workers, 'workers'>): Promise<OrbweaverError> {
  const names = (await cluster.workers()).filter(({ isAlive }) => isAlive).map(({ name }) => safeText(name));
  const there = names.length === 0 ? 'no worker is active' : `active workers: ${names.slice(0, 10).join(', ')}`;
  return new OrbweaverError('ERR_NO_WORKER', `there is no active worker ${worker} (--worker); ${there}`);
}

function sentences(summary: CrawlSummary, { again, title }: NamedCrawl): string[] {
  const { ending, fetched, pages, hosts, seconds, peakRssMb } = summary;
  const ended = { done: 'Done', limit: 'Limit reached', interrupted: 'Left, all saved', failed: 'Failed' }[ending];
  return [
    `${ended}: ${plural(fetched, 'URL')} fetched by this worker in ${seconds.toFixed(1)} s (${peakRssMb} MB of memory)`,
    `${title.replace(/^t/, 'T')} has ${plural(pages, 'page')} of ${plural(hosts, 'host')}; ${leftOutSentence(summary)}`,
    ...seedSentences(summary, again),
    ...waitingHostSentences(summary),
    `Look at it: orbweaver status ${again}`,
  ];
}
