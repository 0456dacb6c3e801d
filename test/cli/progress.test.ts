import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockText, progressLine, showProgress } from '../../src/cli/progress.ts';
import { type CrawlProgress, publish } from '../../src/core/events.ts';
import { count } from '../../src/core/text/readable.ts';

function progress(overrides: Partial<CrawlProgress> = {}): CrawlProgress {
  return {
    elapsedMs: 75_000,
    fetched: 1_300,
    pages: 1_234,
    waiting: 56_789,
    failed: 3,
    trouble: null,
    liveHosts: 12,
    underWay: 8,
    bytes: 12_345_678,
    limit: 0,
    ...overrides,
  };
}

class Recorder {
  readonly isTTY: boolean;
  readonly columns = 80;
  written: string[] = [];

  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }

  write(text: string): boolean {
    this.written.push(text);
    return true;
  }
}

function shownOn(isTTY: boolean): { recorder: Recorder; stop: () => void } {
  const recorder = new Recorder(isTTY);
  return { recorder, stop: showProgress(recorder as unknown as NodeJS.WriteStream) };
}

test('the progress line contains all figures', () => {
  assert.equal(progressLine(progress(), 16.4), '1:15  1,234 pages  16/s  56,789 queued  12 hosts  3 errors  12.3 MB');
  assert.match(progressLine(progress({ limit: 2_234 }), 10), / {2}1:40 left$/);
  assert.match(progressLine(progress(), 1.25), /1\.[23]\/s/);
});

test('times and counts are formatted for people', () => {
  assert.equal(clockText(0), '0:00');
  assert.equal(clockText(59_999), '1:00');
  assert.equal(clockText(3_725_000), '1:02:05');
  assert.equal(count(1_234_567), '1,234,567');
});

test('without a terminal there is a plain line every few seconds', () => {
  const { recorder, stop } = shownOn(false);
  for (const elapsedMs of [1_000, 4_999, 5_000, 5_250, 9_999, 10_000])
    publish('crawl/progress', progress({ elapsedMs }));
  stop();
  publish('crawl/progress', progress({ elapsedMs: 60_000 }));
  assert.equal(recorder.written.length, 2);
  for (const line of recorder.written) assert.match(line, /^0:\d\d {2}.*\n$/);
  assert.ok(!recorder.written.join('').includes('\x1b'));
});

test('a terminal has one live line that is never too wide and disappears at the end', () => {
  const { recorder, stop } = shownOn(true);
  publish('crawl/progress', progress({ waiting: 1e15, pages: 1e15 }));
  stop();
  assert.equal(recorder.written.length, 2);
  assert.match(recorder.written[0]!, /^\r\x1b\[2K/);
  assert.ok(recorder.written[0]!.length <= '\r\x1b[2K'.length + recorder.columns - 1);
  assert.equal(recorder.written[1], '\r\x1b[2K');
});

test('each warning has its own line', () => {
  const { recorder, stop } = shownOn(true);
  publish('crawl/warning', { message: 'the disk is nearly full' });
  stop();
  assert.equal(recorder.written[0], '\r\x1b[2Kwarning: the disk is nearly full\n');
});

test('the rate is measured over the last seconds', () => {
  const { recorder, stop } = shownOn(true);
  publish('crawl/progress', progress({ elapsedMs: 1_000, pages: 100_000 }));
  publish('crawl/progress', progress({ elapsedMs: 20_000, pages: 100_000 }));
  publish('crawl/progress', progress({ elapsedMs: 21_000, pages: 100_100 }));
  stop();
  assert.match(recorder.written[2]!, / 100\/s /);
});
