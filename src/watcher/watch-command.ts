/**
 * The watcher as a command, the same for `orbweaver watch` and for the single-file version. In:
 * command line words. Out: an exit code.
 *
 * What always holds: stdout contains only the one object of --json; the first Ctrl-C lets running work end and saves
 * the state, the second exits at once.
 */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { systemClock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import { type FlagTable, flagsOf, type ParsedArguments, parseFlags, stringFlag, switchFlag } from '../core/flags.ts';
import { groupedDigits } from '../core/grouped-digits.ts';
import type { CommandHelp } from '../core/help.ts';
import { flagName, type OptionSource } from '../core/options/option-table.ts';
import { safeJson } from '../core/safe-text.ts';
import { LOG_FLAG, LOG_FORMATS } from '../core/text/log-lines.ts';
import { ProgressLine } from './progress-line.ts';
import { REPORT_PATH } from './serve/handler.ts';
import { WatchLog } from './watch-log.ts';
import { WATCH_OPTION_NAMES, WATCH_OPTIONS } from './watch-options.ts';
import {
  namedSites,
  readConfig,
  resolveWatch,
  type WatchConfig,
  type WatchSettings,
  watchOptionsFromEnvironment,
} from './watch-settings.ts';
import { listenAddress } from './watch-values.ts';
import { SiteWatcher, type WatcherStatus } from './watcher.ts';

const EXIT_INTERRUPTED = 11;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const MAX_CONFIG_BYTES = 1_000_000;

const FLAGS: FlagTable = {
  url: { hint: '<site>', help: 'URL of the folder on the web: https://www.example.org/' },
  site: { hint: '<url>=<folder>', help: 'another site, or another folder of a site', several: true },
  config: { hint: '<file>', help: 'options as JSON, with "sites": [{ "url": …, "root": … }]' },
  once: { hint: '', help: 'sweep once, write the files of --write-files and exit, for cron' },
  'no-listen': { hint: '', help: 'serve nothing, as with --listen off' },
  ...flagsOf(WATCH_OPTIONS),
  log: LOG_FLAG,
  json: { hint: '', help: 'print one JSON object on stdout at the end' },
  help: { hint: '', help: 'show this text' },
};

/** `program` is the command that the user types. */
export function watchHelp(program: string): CommandHelp {
  return {
    usage: `${program} <root> --url <site> [flags]`,
    about: `Runs beside a web site. Finds new, updated, deleted and moved pages in the folder of the web server, and
reports to crawlers what changed since they last asked, most important pages first. Uses at most --cpu of one core
and stores its state in --state. Publish its report at /.well-known/orbweaver-report of the site, with a proxy rule
of the web server or with --write-files.`,
    examples: [
      `${program} /var/www/html --url https://www.example.org/`,
      `${program} /var/www/html --url https://www.example.org/ --write-files --access-log /var/log/nginx/access.log`,
      `${program} --site https://a.example/=/srv/a --site https://b.example/=/srv/b --cpu 2%`,
      `${program} --config /etc/orbweaver-watcher.json`,
    ],
    flags: FLAGS,
  };
}

/** `tidy` is called between two steps of work, in a process that only runs a watcher. */
export async function runWatch(program: string, words: readonly string[], tidy: () => void): Promise<number> {
  const args = parseFlags(program, words, FLAGS);
  const isOnce = switchFlag(args, 'once');
  const settings = readSettings(args, isOnce);
  const watcher = new SiteWatcher(settings, { tidy, warn: (line) => voice.warn(line) });
  const voice = logFormat(args) === 'json' ? voiceOfLog(watcher) : voiceOfText(watcher, settings);
  const { signal, end } = abortOnSignals((line) => voice.say(line));
  const aborted = once(signal, 'abort');
  voice.start();
  try {
    if (isOnce) await watcher.once(signal);
    else {
      await watcher.start();
      voice.tell('started');
      const isSwept = await Promise.race([watcher.firstSweep.then(() => true), aborted.then(() => false)]);
      voice.end();
      if (isSwept) {
        voice.tell('ready');
        await aborted;
      }
    }
  } finally {
    voice.end();
    await watcher.close();
    end();
  }
  if (switchFlag(args, 'json')) process.stdout.write(`${safeJson(watcher.status())}\n`);
  else if (isOnce) voice.tell('once');
  return signal.aborted ? EXIT_INTERRUPTED : 0;
}

/** What a watcher tells its owner on stderr, as text or as a log. */
interface Voice {
  start(): void;
  say(line: string): void;
  warn(line: string): void;
  tell(when: Moment): void;
  end(): void;
}

/** The watcher listens; its first sweep is done; it has swept once, with `--once`. */
type Moment = 'started' | 'ready' | 'once';

function logFormat(args: ParsedArguments): (typeof LOG_FORMATS)[number] {
  const written = stringFlag(args, 'log', 'text');
  const format = LOG_FORMATS.find((each) => each === written);
  if (format !== undefined) return format;
  throw new OrbweaverError('ERR_BAD_OPTION', `--log must be one of ${LOG_FORMATS.join(', ')}, not "${written}"`);
}

function voiceOfText(watcher: SiteWatcher, settings: WatchSettings): Voice {
  const progress = new ProgressLine(process.stderr, systemClock, () => progressText(watcher.status()));
  return {
    start: () => progress.start(),
    say: (line) => progress.say(line),
    warn: (line) => progress.say(`warning: ${line}`),
    tell: (when) => {
      for (const line of readyLines(settings, watcher.status(), when)) progress.say(line);
    },
    end: () => progress.end(),
  };
}

function voiceOfLog(watcher: SiteWatcher): Voice {
  const status = () => ({ ...watcher.status() });
  const log = new WatchLog(process.stderr, systemClock, status);
  return {
    start: () => log.start(),
    say: (message) => log.write('info', 'run/stopping', { message }),
    warn: (message) => log.write('warning', 'watch/warning', { message }),
    tell: (when) => log.write('info', `watch/${when}`, status()),
    end: () => log.end(),
  };
}

function readSettings(args: ParsedArguments, isOnce: boolean): WatchSettings {
  const config = configOf(stringFlag(args, 'config', ''));
  const given: Record<string, unknown> = {};
  for (const name of WATCH_OPTION_NAMES) {
    const value = args.flags[flagName(name)];
    if (value !== undefined) given[name] = value;
  }
  if (isOnce) Object.assign(given, { listen: 'off', writeFiles: true });
  if (switchFlag(args, 'no-listen')) given.listen = 'off';
  const sources: OptionSource[] = [
    { from: 'command line', given },
    { from: 'environment', given: watchOptionsFromEnvironment(process.env) },
    { from: 'configuration file', given: config.options },
  ];
  const url = args.flags.url as string | undefined;
  const named = namedSites(args.words, url, (args.flags.site as readonly string[] | undefined) ?? []);
  return resolveWatch(sources, [...named, ...config.sites]);
}

function configOf(path: string): WatchConfig {
  if (path === '') return { options: {}, sites: [] };
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new OrbweaverError('ERR_CONFIG', `cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
  if (text.length > MAX_CONFIG_BYTES)
    throw new OrbweaverError('ERR_CONFIG', `${path} is too large for a configuration file`);
  try {
    return readConfig(JSON.parse(text), path);
  } catch (error) {
    if (error instanceof OrbweaverError) throw error;
    // The parser's own message is not used: it repeats a part of the file, which may contain a key.
    const [place = ''] = /\(line \d+ column \d+\)|at position \d+/.exec((error as Error).message) ?? [];
    throw new OrbweaverError('ERR_CONFIG', `${path} is not valid JSON${place === '' ? '' : ` ${place}`}`);
  }
}

/** Aborts at the first signal that asks the process to end. The second signal ends the process at once. */
function abortOnSignals(say: (line: string) => void): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const { signal } = controller;
  const onSignal = () => {
    if (signal.aborted) process.exit(EXIT_INTERRUPTED);
    say('Stopping and saving the state. Press Ctrl-C again to exit at once.');
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  const end = () => {
    for (const name of SIGNALS) process.off(name, onSignal);
  };
  return { signal, end };
}

/** Messages to the owner: where reports are served, and what is left to do. In: settings and status. Out: lines. */
function readyLines(settings: WatchSettings, { listening, sites }: WatcherStatus, when: Moment): string[] {
  if (when === 'started') {
    const all = settings.sites.length === 1 ? settings.sites[0]!.site : `${settings.sites.length} sites`;
    return listening === null ? [] : [`serving reports of ${all} on ${listening}${REPORT_PATH}`];
  }
  return sites.flatMap(({ site, pages, changes }) => {
    const { roots, writeFiles } = settings.sites.find((each) => each.site === site)!;
    const folders = roots.map(({ folder }) => folder).join(', ');
    const place = folders === '' ? '' : ` in ${folders}`;
    const found = `${site}: ${groupedDigits(pages)} pages${place}, ${groupedDigits(changes)} changes so far`;
    const isServed = writeFiles || listenAddress(settings.listen) !== null;
    if (when === 'once' || !isServed) return [found];
    const how = writeFiles ? 'is written into the web root' : 'must be forwarded by the web server';
    return [found, `  the report ${how}; add to ${site}/robots.txt: Orbweaver-Report: ${site}${REPORT_PATH}`];
  });
}

function progressText({ sites }: WatcherStatus): string {
  const done = sites.filter(({ isComplete }) => isComplete).length;
  const checked = sites.reduce((sum, { looked: each }) => sum + each, 0);
  const all = sites.length === 1 ? sites[0]!.site : `${done} of ${sites.length} sites`;
  const when = 'reports are available when it is done (--first-cpu 50% is faster)';
  return `first sweep: ${groupedDigits(checked)} files checked; ${when}  ${all}`;
}
