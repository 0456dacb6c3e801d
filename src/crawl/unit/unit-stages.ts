/** Assembles the stages of a crawler unit in its thread and connects the unit to the controller. */
import { parentPort } from 'node:worker_threads';
import { unitOf } from '../../archive/archive-file.ts';
import { SharedPayloads } from '../../archive/shared-payloads.ts';
import { ArchiveWriter } from '../../archive/warc-writer.ts';
import { systemClock } from '../../core/clock.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { LeaseGuard } from '../../core/lease-expiry.ts';
import { VERSION } from '../../core/options/options.ts';
import { StageTimes } from '../../core/stage-times.ts';
import { Fetcher } from '../../fetch/fetcher.ts';
import { BlockCollector, WordCollector } from '../../page/page.ts';
import { LinkJudge } from '../links/link-judge.ts';
import type { TopicJudge } from '../links/topic-judge.ts';
import { bodyLimits } from '../place/body-limits.ts';
import { AskedPlaces } from './ask-controller.ts';
import type { ChangeJudge } from './change/change-judge.ts';
import { RegionJudge } from './change/region-judge.ts';
import { ClusterClock } from './cluster-clock.ts';
import { confirmPageOf } from './confirm-page.ts';
import { ControllerRequests } from './controller-requests.ts';
import { CrawlerUnit } from './crawler-unit.ts';
import { fetchOptions, productToken } from './fetch-setup.ts';
import { LeaseMonitor } from './lease-monitor.ts';
import type { FromUnit, ToUnit, UnitSetup } from './messages.ts';
import { parsingOf } from './pipeline.ts';

const port = parentPort!;

let unit: CrawlerUnit | null = null;
let stopMeasuring = (): void => {};
/** Messages that arrived before the unit was assembled. */
const early: ToUnit[] = [];
const places = new AskedPlaces((question) => port.postMessage(question));
const requests = new ControllerRequests((response) => port.postMessage(response));

port.on('message', (message: ToUnit) => {
  if (message.type === 'leave') process.exit();
  if (message.type === 'start') void start(message.setup);
  else if (message.type === 'measure') measure(message.memory);
  else if (message.type === 'answer') places.answer(message);
  else if (message.type === 'controller') requests.receive(message.request);
  else if (unit === null) early.push(message);
  else unit.receive(message);
});

async function start(setup: UnitSetup): Promise<void> {
  const topic = await topicJudgeOf(setup);
  try {
    unit = unitWith(setup, topic);
  } catch (error) {
    // The archive folder cannot be created. A replacement of this unit could not create it either.
    if (!(error instanceof OrbweaverError)) throw error;
    postFatal(error);
    return;
  }
  for (const message of early.splice(0)) unit.receive(message);
}

function measure(memory: SharedArrayBuffer | null): void {
  stopMeasuring();
  stopMeasuring = memory === null ? () => {} : new StageTimes(memory).listen();
}

function postFatal({ code, message }: OrbweaverError): void {
  port.postMessage({ type: 'fatal', code, message } satisfies FromUnit);
}

/** Loads the code of the topic only if there is one. Most crawls have none. */
async function topicJudgeOf({ topic, options }: UnitSetup): Promise<TopicJudge | null> {
  return topic && new (await import('../links/topic-judge.ts')).TopicJudge(topic, options);
}

/** Loads the code that compares versions when the first page has changed. */
function changeJudgeOf({ refresh, place, options }: UnitSetup): () => Promise<ChangeJudge> {
  let judge: Promise<ChangeJudge> | null = null;
  return () => {
    judge ??= import('./change/change-judge.ts').then(
      ({ ChangeJudge }) => new ChangeJudge({ place, places }, options, refresh!),
    );
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
  const leases = shared ? new LeaseMonitor(new LeaseGuard(shared.leases), clock, () => fetcher.abort()) : null;
  const maySend = leases === null ? undefined : () => leases.isGood();
  const fetcher: Fetcher = new Fetcher(
    { ...fetchOptions(options, setup.privateRule), ...bodyLimits(options) },
    clock,
    maySend,
  );
  const links = new LinkJudge(options, setup.seeds, setup.lessons, setup.watchedHosts);
  const words = topic === null ? new WordCollector() : new BlockCollector();
  const stages = {
    options,
    productToken: productToken(options.userAgent),
    links,
    parsing: parsingOf(options, { links, topic, words }),
    rejudges: setup.rejudges ?? false,
    refuses: (url: string) => links.refusesAction(url),
    topic,
    regions: setup.refresh && new RegionJudge(setup.refresh),
    changes: changeJudgeOf(setup),
    rereadBeforeMs: setup.rereadBeforeMs,
    refresh: setup.refresh,
    archive,
    confirm: options.revisits ? confirmPageOf({ place: setup.place, places }) : null,
    words,
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
    // A unit has drained only when its archive is on the disk, so a run never ends before that.
    const closed = Promise.all([fetcher.close(), requests.close()]).then(() => archive.close());
    closed.then(() => port.postMessage(message), postFatal).finally(() => port.close());
  };
  return new CrawlerUnit({ setup, stages, fetcher, clock, post, leases });
}
