/** Tests the metrics for Prometheus: their grammar, and that their number is bounded. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { REASONS } from '../../../src/core/reasons.ts';
import { STAGE_UNITS, type StageName } from '../../../src/core/stage-events.ts';
import { STAGE_BUCKETS_MS } from '../../../src/core/stage-times.ts';
import type { LiveState } from '../../../src/crawl/live/live-file.ts';
import type { CopyDetail } from '../../../src/serve/contract/copies.ts';
import { ROUTES } from '../../../src/serve/contract/routes.ts';
import { MetricText } from '../../../src/serve/metrics/metric-text.ts';
import { metricsPage } from '../../../src/serve/metrics/metrics-page.ts';
import { RequestMeter } from '../../../src/serve/metrics/request-meter.ts';
import { URL_STATES } from '../../../src/store/records/records.ts';

const COPIES = 50;
const everyReason = Object.fromEntries(Object.keys(REASONS).map((reason) => [reason, 3]));

/** A copy that has every figure, of a crawl with very many hosts. */
function fullFigures(i: number) {
  const summary = { hosts: 100_000, bytes: 5, changes: 9, refreshedAt: '2026-11-20T00:00:00Z' };
  const detail = {
    ...{ summary, states: Object.fromEntries(URL_STATES.map((state) => [state, i])), reasons: everyReason },
    ...{ retrying: 1, archive: { files: 1, bytes: 2 }, receivedBytes: 3, damaged: 0 },
    ...{ followers: [{ name: 'x', behind: 4, isActive: true }], search: { pages: 1, bytes: 1, behind: 1 } },
  } as unknown as CopyDetail;
  const stages = (Object.keys(STAGE_UNITS) as StageName[]).map((stage) => {
    return { stage, unit: STAGE_UNITS[stage], count: 13, tookMs: 5, buckets: [...STAGE_BUCKETS_MS, 0].map(() => 1) };
  });
  const figures = { fetched: 1, requests: 2, bytes: 3, failed: 4, hosts: 5, errors: everyReason };
  const live = { figures, rates: { memoryMb: 90, cpu: 1.5 }, elapsedMs: 1_000, stages } as unknown as LiveState;
  return { copy: `copy-${i}`, detail, live };
}

function request(meter: RequestMeter, method: string, url: string, statusCode = 200): void {
  const response = Object.assign(new EventEmitter(), { headersSent: true, statusCode });
  meter.watch({ method, url } as IncomingMessage, response as unknown as ServerResponse);
  response.emit('close');
}

const SERIES = /^([a-z_]+)(\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"(?:,[a-z]+="(?:[^"\\\n]|\\["\\n])*")*\})? (\S+)$/;

test('fifty copies of 100,000 hosts and all routes have at most 2,000 series, in the grammar of Prometheus', () => {
  const meter = new RequestMeter();
  for (const { method, path } of Object.values(ROUTES)) {
    const url = path.replace(/\{\w+\}/g, 'some');
    for (const status of [200, 304, 404, 503]) request(meter, method, url, status);
  }
  for (let i = 0; i < 1_000; i++) request(meter, 'GET', `/api/copies/${i}/nothing?x=${i}`, 404);
  const text = metricsPage(
    Array.from({ length: COPIES }, (_, i) => fullFigures(i)),
    meter,
  );
  const seen = new Set<string>();
  const types = new Map<string, string>();
  let previous = '';
  for (const row of text.trimEnd().split('\n')) {
    const [, word, name, rest] = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(row) ?? [];
    if (word !== undefined) {
      if (word === 'TYPE') assert.equal(types.has(name!), false, `${name} is described twice`);
      if (word === 'TYPE') types.set(name!, rest!);
      previous = name!;
      continue;
    }
    const [, series, labels = '', value] = SERIES.exec(row) ?? assert.fail(`no series: ${row}`);
    assert.ok(series!.replace(/_(?:bucket|sum|count)$/, '') === previous || series === previous, row);
    assert.ok(Number.isFinite(Number(value)), row);
    assert.equal(seen.has(series! + labels), false, `twice: ${row}`);
    assert.doesNotMatch(labels, /(?:host|url)=/);
    seen.add(series! + labels);
  }
  assert.ok(seen.size > 1_500 && seen.size <= 2_000, `${seen.size} series`);
  for (const [name, type] of types) assert.equal(name.endsWith('_total'), type === 'counter', `${name} ${type}`);
});

test('the dashboard and the documentation name only metrics that exist, and the documentation names all', () => {
  const meter = new RequestMeter();
  request(meter, 'GET', '/metrics');
  const text = metricsPage([fullFigures(0)], meter);
  const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!));
  const root = join(import.meta.dirname, '..', '..', '..');
  const namesIn = (file: string) => {
    const written = readFileSync(join(root, file), 'utf8').match(/\b(?:orbweaver|process)_[a-z_]+/g) ?? [];
    return new Set(written.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')));
  };
  const documented = namesIn('docs/serve-metrics.md');
  assert.deepEqual([...documented].sort(), [...known].sort());
  for (const name of namesIn('examples/grafana-dashboard.json')) assert.ok(known.has(name), name);
});

test('a request is counted by its route, and an address that does not exist makes no series of its own', () => {
  const meter = new RequestMeter();
  request(meter, 'GET', '/api/copies/a/search?q=x');
  request(meter, 'GET', '/api/copies/b/search?q=y', 503);
  request(meter, 'POST', '/api/none', 404);
  request(meter, 'GET', '/archived/secret-key/a/1/x');
  const text = new MetricText();
  meter.write(text);
  const lines = String(text).split('\n');
  assert.ok(lines.includes('orbweaver_http_requests_total{route="search",status="2xx"} 1'));
  assert.ok(lines.includes('orbweaver_http_requests_total{route="search",status="5xx"} 1'));
  assert.ok(lines.includes('orbweaver_http_requests_total{route="unknown",status="4xx"} 1'));
  assert.ok(lines.includes('orbweaver_http_requests_total{route="archived",status="2xx"} 1'));
  assert.ok(lines.includes('orbweaver_http_request_duration_seconds_count{route="search"} 2'));
  assert.doesNotMatch(String(text), /secret/);
});

test('the buckets of a histogram are cumulative, and labels are escaped', () => {
  const text = new MetricText();
  text.addHistogram('x_seconds', 'a\\b\nc', { bounds: [0.1, 1], counts: [1, 2, 3], sum: 9 }, { stage: 'a"b\\c\n' });
  const label = 'stage="a\\"b\\\\c\\n"';
  assert.deepEqual(String(text).split('\n'), [
    ...['# HELP x_seconds a\\\\b\\nc', '# TYPE x_seconds histogram'],
    ...[`x_seconds_bucket{${label},le="0.1"} 1`, `x_seconds_bucket{${label},le="1"} 3`],
    ...[`x_seconds_bucket{${label},le="+Inf"} 6`, `x_seconds_sum{${label}} 9`, `x_seconds_count{${label}} 6`, ''],
  ]);
});
