/** The command line: chooses the command, prints help and errors, sets the exit code. Each command has its own file. */

import { didYouMean } from '../core/did-you-mean.ts';
import { OrbweaverError } from '../core/errors.ts';
import { helpText } from '../core/help.ts';
import { VERSION } from '../core/options/options.ts';
import { unknownName } from '../core/options/secret-values.ts';
import type { Command } from './arguments.ts';
import { endLog, sayFailure, startLog } from './log.ts';

type LoadCommand = () => Promise<{ readonly command: Command }>;

const COMMANDS: Readonly<Record<string, readonly [about: string, load: LoadCommand]>> = {
  crawl: ['crawl sites and keep a copy', () => import('./commands/crawl.ts')],
  work: ['join a crawl that runs on many machines', () => import('./commands/work.ts')],
  refresh: ['bring the copy up to date', () => import('./commands/refresh.ts')],
  follow: ['do the work that follows changes, such as their descriptions', () => import('./commands/follow.ts')],
  index: ['bring the search index of a copy up to date', () => import('./commands/index.ts')],
  search: ['search the text of the copy', () => import('./commands/search.ts')],
  serve: ['show copies in a browser: live view, changes, pages, search', () => import('./commands/serve.ts')],
  status: ['show counts, hosts and errors', () => import('./commands/status.ts')],
  explain: ['show the state of a URL and the reason', () => import('./commands/explain.ts')],
  links: ['show the links to a page and from it', () => import('./commands/links.ts')],
  show: ['print a page from the copy', () => import('./commands/show.ts')],
  history: ['list the visits to a page and their results', () => import('./commands/history.ts')],
  diff: ['show what changed between two versions of a page', () => import('./commands/diff.ts')],
  mcp: ['offer the copy to language models', () => import('./commands/mcp.ts')],
  watch: ['run the watcher beside your own web site', () => import('./commands/watch.ts')],
  verify: ['check the archive and the database for damage', () => import('./commands/verify.ts')],
  recover: ['rebuild the database from the archive, or import WARC files', () => import('./commands/recover.ts')],
  export: ['write the copy as jsonl, csv, warc, wacz, cdxj or as a mirror', () => import('./commands/export.ts')],
};

/** Commands that need a crawler unit, except with these flags. */
const RUNS: ReadonlySet<string> = new Set(['crawl', 'refresh']);
const NO_RUN: ReadonlySet<string> = new Set(['--help', '--dry-run']);

function overview(): string {
  const rows = Object.entries(COMMANDS).map(([name, [about]]) => `  ${name.padEnd(9)} ${about}`);
  return `Orbweaver ${VERSION} crawls web sites and keeps a copy up to date.

Usage: orbweaver <command> [flags]

Commands:
${rows.join('\n')}

Example: orbweaver crawl https://example.com/ --limit 1000
Help for a command: orbweaver crawl --help
`;
}

async function main(words: readonly string[]): Promise<number> {
  const [name, ...rest] = words;
  if (name === undefined || name === '--help' || name === 'help') {
    process.stdout.write(overview());
    return name === undefined ? 2 : 0;
  }
  if (name === '--version') {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!entry) {
    throw new OrbweaverError(
      'ERR_UNKNOWN_COMMAND',
      `there is no command ${unknownName(name)}${didYouMean(name, Object.keys(COMMANDS)) || `; the commands are ${Object.keys(COMMANDS).join(', ')}`}`,
    );
  }
  startLog(name, rest);
  // The unit loads its code beside the command.
  if (RUNS.has(name) && !rest.some((word) => NO_RUN.has(word))) {
    const { startEarlyUnit } = await import('../crawl/crew/early-unit.ts');
    startEarlyUnit();
  }
  const { command } = await entry[1]();
  if (rest.includes('--help')) {
    process.stdout.write(helpText(command.help));
    return 0;
  }
  return command.run(rest);
}

/** A reader that stops early (`| head`) is no error. A file that cannot be written is an error and must be reported. */
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(0);
  sayFailure(`cannot write to stdout: ${message}`, code === 'ENOSPC' ? 'ERR_DISK_FULL' : String(code));
  process.exit(1);
});

main(process.argv.slice(2)).then(
  (exitCode) => {
    process.exitCode = exitCode;
    endLog(exitCode);
  },
  (error: unknown) => {
    const known = error instanceof OrbweaverError;
    if (known) sayFailure(error.message, error.code);
    else sayFailure(`this is a bug in Orbweaver, please report it: ${(error as Error).stack}`, 'ERR_INTERNAL');
    process.exitCode = known ? error.exitCode : 1;
    endLog(process.exitCode);
  },
);
