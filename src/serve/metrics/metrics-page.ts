/** The page `/metrics` for Prometheus. In: figures of the copies, and the meter of the requests. Out: its text. */
import { VERSION } from '../../core/options/options.ts';
import { type CopyFigures, writeCopies } from './copy-metrics.ts';
import { MetricText } from './metric-text.ts';
import type { RequestMeter } from './request-meter.ts';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function metricsPage(copies: readonly CopyFigures[], meter: RequestMeter): string {
  const text = new MetricText();
  text.add('gauge', 'orbweaver_build_info', 'The version of this server.', 1, { version: VERSION });
  const { user, system } = process.cpuUsage();
  const cpuSeconds = (user + system) / 1e6;
  text.add('counter', 'process_cpu_seconds_total', 'CPU time of this server.', cpuSeconds);
  text.add('gauge', 'process_resident_memory_bytes', 'Memory of this server.', process.memoryUsage.rss());
  const startedAt = Math.round(performance.timeOrigin) / 1_000;
  text.add('gauge', 'process_start_time_seconds', 'When this server was started.', startedAt);
  writeCopies(text, copies);
  meter.write(text);
  return text.toString();
}
