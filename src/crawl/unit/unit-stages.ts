/** A crawler unit in its thread: its stages are put together and it is connected to the controller. */
import { parentPort } from 'node:worker_threads';
import { unitOf } from '../archive/file-owner.ts';
import { SharedPayloads } from '../archive/shared-payloads.ts';
import { ArchiveWriter } from '../archive/warc-writer.ts';
import { systemClock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import { LeaseGuard } from '../core/lease-guard.ts';
import { VERSION } from '../core/options.ts';
import { Fetcher } from '../fetch/fetcher.ts';
import { ContentText } from '../page/page.ts';
import type { ChangeJudge } from './change-judge.ts';
import { ClusterClock } from './cluster/cluster-clock.ts';
import { CrawlerUnit } from './crawler-unit.ts';
import { fetchOptions, productToken } from './fetch-setup.ts';
import { LeaseWatch } from './lease-watch.ts';
import { LinkJudge } from './link-judge.ts';
import type { FromUnit, ToUnit, UnitSetup } from './messages.ts';
import type { TopicJudge } from './topic-judge.ts';

const port = parentPort!;

let unit: CrawlerUnit | null = null;
/** What came while the unit was put together. */
const early: ToUnit[] = [];

port.on('message', (message: ToUnit) => {
  if (message.type === 'leave') process.exit();
  if (message.type === 'start') void start(message.setup);
  else if (unit === null) early.push(message);
  else unit.receive(message);
});

async function start(setup: UnitSetup): Promise<void> {
  const topic = await topicJudgeOf(setup);
  try {
    unit = unitWith(setup, topic);
  } catch (error) {
    // The archive's folder cannot be made. A unit in its place could not make it either.
    if (!(error instanceof OrbweaverError)) throw error;
    tellFatal(error);
    return;
  }
  for (const message of early.splice(0)) unit.receive(message);
}

function tellFatal({ code, message }: OrbweaverError): void {
  port.postMessage({ type: 'fatal', code, message } satisfies FromUnit);
}

/** Most crawls have no topic and need not load what judges by it. */
async function topicJudgeOf({ topic, options }: UnitSetup): Promise<TopicJudge | null> {
  return topic && new (await import('./topic-judge.ts')).TopicJudge(topic, options);
}

/** Nor what tells how pages have changed, before one has. */
function changeJudgeOf({ refresh, place, options }: UnitSetup): () => Promise<ChangeJudge> {
  let judge: Promise<ChangeJudge> | null = null;
  return () => {
    judge ??= import('./change-judge.ts').then(({ ChangeJudge }) => new ChangeJudge(place, options, refresh!));
    return judge;
  };
}

function unitWith(setup: UnitSetup, topic: TopicJudge | null): CrawlerUnit {
  const { options, shared } = setup;
  const clock = shared ? new ClusterClock(shared.time) : systemClock;
  const parsing = new Float64Array(setup.parsing);
  const archive = new ArchiveWriter({
    dir: setup.place.archives[0]!,
    unit: setup.writer === undefined ? setup.name : unitOf(setup.writer.owner, setup.name),
    maxFileBytes: options.archiveFile,
    software: `Orbweaver/${VERSION}`,
    userAgent: options.userAgent,
    about: setup.crawlInfo,
    clock,
    sharedPayloads: new SharedPayloads(setup.payloads),
    share: options.share,
  });
  const leases = shared ? new LeaseWatch(new LeaseGuard(shared.leases), clock, () => fetcher.abort()) : null;
  const maySend = leases === null ? undefined : () => leases.isGood();
  const fetcher: Fetcher = new Fetcher(fetchOptions(options, setup.privateRule), clock, maySend);
  const stages = {
    options,
    productToken: productToken(options.userAgent),
    links: new LinkJudge(options, setup.seeds, setup.lessons, setup.watchedHosts),
    topic,
    changes: changeJudgeOf(setup),
    rereadBeforeMs: setup.rereadBeforeMs,
    refresh: setup.refresh,
    archive,
    content: new ContentText(options.fingerprintText),
    marking: (id: number) => {
      parsing[0] = id;
    },
    nowMs: clock.now,
  };
  const post = (message: FromUnit): void => {
    if (message.type !== 'drained') {
      port.postMessage(message);
      return;
    }
    // A unit has drained when its archive is on the disk, so a run is never over before.
    const closed = fetcher.close().then(() => archive.close());
    closed.then(() => port.postMessage(message), tellFatal).finally(() => port.close());
  };
  return new CrawlerUnit(setup, stages, fetcher, clock, post, leases);
}
