/**
 * Part a: requests that schemathesis makes from the OpenAPI document find no 5xx and no answer that the document does
 * not describe. Part b: promtool accepts the metrics.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { ProofContext, ProofRow } from '../proof.ts';
import type { ServeProcess } from './serve-process.ts';

const run = promisify(execFile);
/** Streams never end, and a run would change the copy. */
const LEFT_OUT = ['/api/copies/{copy}/events', '/api/copies/{copy}/run'];
const CHECKS = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance', 'response_schema_conformance'],
  'unsupported_method',
].join(',');
const EXAMPLES = 30;
const MAX_SHOWN_CHARS = 6_000;
const MAX_OUTPUT_BYTES = 64_000_000;

export async function checkApi({ workFolder, report }: ProofContext, serve: ServeProcess): Promise<ProofRow[]> {
  const venv = join(workFolder, 'venv');
  await run('python3', ['-m', 'venv', venv]);
  await run(join(venv, 'bin', 'pip'), ['install', '-q', 'schemathesis'], { maxBuffer: MAX_OUTPUT_BYTES });
  const words = [
    ...['run', `${serve.origin}/api/openapi.json`, '-H', `Authorization: Bearer ${serve.token}`],
    ...LEFT_OUT.flatMap((path) => ['--exclude-path', path]),
    ...['--checks', CHECKS, '--max-examples', String(EXAMPLES), '--rate-limit', '50/s', '--request-timeout', '30'],
    ...[
      '--continue-on-failure',
      '--seed',
      '1',
      '--suppress-health-check',
      'all',
      '--phases',
      'examples,coverage,fuzzing',
      '--no-color',
    ],
  ];
  const child = spawn(join(venv, 'bin', 'st'), words, { cwd: workFolder, stdio: ['ignore', 'pipe', 'inherit'] });
  const output = await text(child.stdout);
  const generated = Number(/([\d,]+) generated/.exec(output)?.[1]?.replaceAll(',', '') ?? 0);
  const ending = output.trim().split('\n').at(-1) ?? '';
  const count = (what: string) => Number(new RegExp(`(\\d+) ${what}`).exec(ending)?.[1] ?? 0);
  const faults = count('failure') + count('error');
  if (faults > 0) report(output.slice(-MAX_SHOWN_CHARS));
  const isDone = generated > 0 && ending.includes(' in ');
  return [
    {
      what: `generated requests (${generated}) with a 5xx or an answer that the OpenAPI document does not describe`,
      target: '0',
      measured: isDone ? String(faults) : `the program failed: ${output.slice(-300)}`,
      holds: isDone && faults === 0,
    },
  ];
}

export async function checkMetrics({ workFolder }: ProofContext, serve: ServeProcess): Promise<ProofRow[]> {
  const { body } = await serve.get('/metrics');
  const promtool = await findPromtool(join(workFolder, 'prometheus'));
  const child = spawn(promtool, ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(String(body));
  const [said, code] = await Promise.all([
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  const series = String(body)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#')).length;
  const problems = said.trim() === '' ? 0 : said.trim().split('\n').length;
  return [
    {
      what: 'problems that promtool finds in /metrics',
      target: '0',
      measured: String(problems),
      holds: code === 0 && problems === 0,
    },
    { what: 'series of /metrics', target: '≤ 2,000', measured: String(series), holds: series > 0 && series <= 2_000 },
  ];
}

/** The package is unpacked and not installed: it would start services and bring fifty other packages. */
async function findPromtool(folder: string): Promise<string> {
  if (existsSync('/usr/bin/promtool')) return '/usr/bin/promtool';
  await mkdir(folder, { recursive: true });
  await run('apt-get', ['download', 'prometheus'], { cwd: folder });
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.deb'));
  await run('dpkg', ['-x', file!, 'unpacked'], { cwd: folder });
  return join(folder, 'unpacked', 'usr', 'bin', 'promtool');
}
