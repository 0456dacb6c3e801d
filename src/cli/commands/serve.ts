/** `orbweaver serve`: the web interface, its API, and the archived pages. */
import { OrbweaverError } from '../../core/errors.ts';
import { listen } from '../../core/events.ts';
import { flagsOf } from '../../core/flags.ts';
import type { OptionSource } from '../../core/options/option-table.ts';
import { flagName, optionsFromEnvironment } from '../../core/options/options.ts';
import { resolveServeOptions, SERVE_OPTION_NAMES, SERVE_OPTIONS } from '../../core/options/serve-options.ts';
import { LOG_FLAG } from '../../core/text/log-lines.ts';
import { plural } from '../../core/text/readable.ts';
import { placeAt } from '../../crawl/place/crawl-place.ts';
import type { NamedPlace } from '../../serve/copies.ts';
import { startServer } from '../../serve/serve.ts';
import {
  COMMON_FLAGS,
  type Command,
  type ParsedArguments,
  parseArguments,
  refuseWords,
  switchFlag,
} from '../arguments.ts';
import { log, logsJson, say } from '../log.ts';
import { PLACE_FLAGS, resolveCrawl, shellWord } from '../named-crawl.ts';
import { printJson } from '../output.ts';

export const command: Command = {
  help: {
    usage: 'orbweaver serve [flags]',
    about: `Shows copies in a browser: a live view of a running crawl, what changed, pages as they were, search, and every URL that
was not fetched with its reason. The same server has an API (/api/openapi.json). It listens on this machine only, and a
change needs the token of the printed link. Ctrl-C stops it and the runs that it has started; they are saved.`,
    examples: [
      'orbweaver serve',
      'orbweaver serve --dir museum --dir gallery --port 8080',
      'orbweaver serve --read-only --behind-proxy search.example.org',
      'orbweaver serve --new-in ~/copies        # new copies can be made in the browser',
    ],
    flags: {
      ...PLACE_FLAGS,
      dir: { ...PLACE_FLAGS.dir!, several: true },
      ...flagsOf(SERVE_OPTIONS),
      log: LOG_FLAG,
      ...COMMON_FLAGS,
    },
  },

  async run(words) {
    const args = parseArguments('serve', words, command.help.flags);
    refuseWords('serve', args, 'the copies to show: --dir <folder>');
    const options = resolveServeOptions(sourcesOf(args));
    listen('crawl/warning', ({ message }) => {
      if (logsJson()) log('warning', 'crawl/warning', { message });
      else say(message);
    });
    const places = await placesOf(args);
    const server = await startServer({ places, options });
    const link = options.readOnly ? server.url : `${server.url}#token=${server.token}`;
    if (switchFlag(args, 'json')) printJson({ url: server.url, port: server.port, link });
    else {
      const names = server.copies.all.map(({ title }) => title).join(', ');
      say(
        `Showing ${plural(server.copies.all.length, 'copy').replace('copys', 'copies')}${names === '' ? '' : ` (${names})`} at ${link}`,
      );
      say(
        options.readOnly
          ? 'Nothing can be changed here. Ctrl-C ends it.'
          : 'Whoever has this link can start and stop runs. Ctrl-C ends it.',
      );
    }
    await untilSignal();
    say('Stopping: the runs of this server are finished and saved.');
    await server.close();
    // The channel to a crawl that has started this server would keep the process alive.
    if (process.connected) process.disconnect();
    return 0;
  },
};

/** Options from flags and from the environment, such as ORBWEAVER_TOKEN. */
function sourcesOf({ flags }: ParsedArguments): OptionSource[] {
  const given = Object.fromEntries(SERVE_OPTION_NAMES.map((name) => [name, flags[flagName(name)]]));
  return [
    { from: 'command line', given },
    { from: 'environment', given: optionsFromEnvironment(process.env) },
  ];
}

async function placesOf(args: ParsedArguments): Promise<NamedPlace[]> {
  const dirs = [args.flags.dir ?? []].flat().map(String);
  if (args.flags.store !== undefined || process.env.ORBWEAVER_STORE !== undefined) {
    if (dirs.length > 1) throw new OrbweaverError('ERR_USAGE', 'with --store there is one --dir');
    const { place, again } = await resolveCrawl({
      ...args,
      flags: { ...args.flags, ...(dirs[0] && { dir: dirs[0] }) },
    });
    return [{ place, again }];
  }
  if (dirs.length === 0 && args.flags['new-in'] !== undefined) return [];
  return (dirs.length === 0 ? ['orbweaver-data'] : dirs).map((dir) => ({
    place: placeAt(dir),
    again: `--dir ${shellWord(dir)}`,
  }));
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    // A crawl that has started this server has ended.
    process.once('disconnect', () => resolve());
  });
}
