/** A crawler unit in its thread: its stages are put together and it is connected to the controller. */
import { parentPort } from 'node:worker_threads';
import { ArchiveWriter } from '../archive/warc-writer.ts';
import { systemClock } from '../core/clock.ts';
import { VERSION } from '../core/options.ts';
import { Fetcher } from '../fetch/fetcher.ts';
import { CrawlerUnit } from './crawler-unit.ts';
import { fetchOptions, productToken } from './fetch-setup.ts';
import { LinkJudge } from './link-judge.ts';
import type { ToUnit, UnitSetup } from './messages.ts';
import { TopicJudge } from './topic-judge.ts';

const port = parentPort!;

port.once('message', (message: ToUnit) => {
  if (message.type !== 'start') throw new Error(`a unit is told to ${message.type} before it is started`);
  const unit = unitWith(message.setup);
  port.on('message', (next: ToUnit) => {
    if (next.type === 'leave') process.exit();
    unit.receive(next);
  });
});

function unitWith(setup: UnitSetup): CrawlerUnit {
  const { options } = setup;
  const parsing = new Float64Array(setup.parsing);
  const archive = new ArchiveWriter({
    dir: setup.archiveDir,
    unit: setup.name,
    maxFileBytes: options.archiveFile,
    software: `Orbweaver/${VERSION}`,
    userAgent: options.userAgent,
    clock: systemClock,
  });
  const fetcher = new Fetcher(fetchOptions(options, setup.privateHosts), systemClock);
  const stages = {
    options,
    productToken: productToken(options.userAgent),
    links: new LinkJudge(options, setup.seeds, setup.lessons),
    topic: setup.topic && new TopicJudge(setup.topic, options),
    archive,
    marking: (id: number) => {
      parsing[0] = id;
    },
    nowMs: systemClock.now,
  };
  return new CrawlerUnit(setup, stages, fetcher, systemClock, (message) => {
    port.postMessage(message);
    if (message.type !== 'drained') return;
    port.close();
    void fetcher.close().then(() => archive.close());
  });
}
