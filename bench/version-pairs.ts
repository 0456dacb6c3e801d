/**
 * The benchmark of real changes: does a refresh report exactly the pages of real sites whose content has changed?
 *
 * In: flags. Out: a table on stdout, progress on stderr, and bench/results/version-pairs.json and .md. A partial run
 * writes to bench/work/results instead. The exit code is 1 if a change of content was missed, if bytes changed without
 * a trace, or if more than 2 % of the pages without other content were reported.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BadOption, readFlags } from './options.ts';
import { describeMachine } from './report/machine.ts';
import { measurePair, type PairFigures } from './version-pairs/measure.ts';
import { VERSION_PAIRS } from './version-pairs/pairs.ts';
import { unpackVersion } from './version-pairs/unpack-version.ts';

const HELP = `npm run bench -- version-pairs [flags]

  --only <a,b>         of ${VERSION_PAIRS.map(({ name }) => name).join(', ')}

Documentation that was published in two versions is crawled in the first version and refreshed in the second. It is
downloaded with mvn and npm into bench/work.
`;

const MOST_ALARMS = 0.02;

export async function benchVersionPairs(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const values = readFlags(args, ['only']);
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const names = values.only?.split(',') ?? VERSION_PAIRS.map(({ name }) => name);
  const figures: PairFigures[] = [];
  for (const name of names) {
    const pair = VERSION_PAIRS.find((each) => each.name === name);
    if (pair === undefined) throw new BadOption(`--only: there is no site "${name}"`);
    const [before, after] = pair.versions;
    const folders = [
      await unpackVersion(workFolder, pair, before),
      await unpackVersion(workFolder, pair, after),
    ] as const;
    const measured = await measurePair(`${name} ${before} → ${after}`, folders, join(workFolder, 'version-pairs'));
    figures.push(measured);
    report(`${name}: ${measured.caught} of ${measured.content} changes caught, ${measured.alarms} alarms without one`);
  }
  const text = markdown(figures);
  const folder = values.only === undefined ? resultsFolder : join(workFolder, 'results');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'version-pairs.md'), text);
  await writeFile(join(folder, 'version-pairs.json'), `${JSON.stringify(figures, undefined, 2)}\n`);
  process.stdout.write(text);
  const sum = (of: (one: PairFigures) => number) => figures.reduce((total, one) => total + of(one), 0);
  const noise = sum(({ bytes, content }) => bytes - content);
  const isGood = sum(({ content, caught }) => content - caught) === 0 && sum(({ denied }) => denied) === 0;
  return isGood && sum(({ alarms }) => alarms) <= MOST_ALARMS * noise ? 0 : 1;
}

function markdown(figures: readonly PairFigures[]): string {
  const rows = figures.map(
    ({ site, pages, bytes, content, caught, copies, alarms, denied, edits, single, added, gone }) => {
      const shared = edits.length === 0 ? '–' : edits.map((edit) => edit.pages).join(', ');
      const cells = [pages, bytes, content, caught, copies, `${alarms} of ${bytes - content}`, denied, shared, single];
      return `| ${[site, ...cells, added.join(' of '), gone.join(' of ')].join(' | ')} |`;
    },
  );
  const { cpu, cores, date } = describeMachine(new Date());
  return `# version-pairs

Each site is crawled in its first version, its files are replaced, and the copy is refreshed. The truth is a comparison
of the files with another parser (parse5), without any rule for noise.

| site | pages in both | other bytes | other content | of these reported | of these as copies of a reported page | reported without other content | other bytes without an entry | pages per shared edit | reported one by one | new | gone |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}

- machine: ${cpu}, ${cores} cores, ${date} UTC
`;
}
