/**
 * The benchmark of the link graph: bytes per link, memory and time of PageRank, and its accuracy.
 *
 * In: flags. Out: tables on stdout, progress on stderr, and bench/results/graph.json and .md. A partial run writes to
 * bench/work/results instead. What always holds: the code of a crawl stores and reads the graph, and the ranks are
 * compared with a computation that shares no code with it. The exit code is 1 when a promise about size, memory or
 * accuracy is broken. Speed is only reported.
 */
import { join } from 'node:path';
import { inDiscoveryOrder } from './graph/discovery-order.ts';
import { tailExponent } from './graph/exponent.ts';
import { storeGraph } from './graph/linked-pages.ts';
import { bytesPerUrl, rankAndCompare, type Timing, timeIterations } from './graph/measure.ts';
import { GRAPH_HELP, type GraphOptions, readGraphOptions } from './graph/options.ts';
import { powerLawWeb } from './graph/power-law-web.ts';
import { type GraphResults, isGood, textReport, writeGraphResults } from './graph/report.ts';
import { describeMachine } from './report/machine.ts';

/**
 * Where the tails begin: above the minimum number of links, and above the number that near links give to every page.
 */
const OUT_TAIL = 20;
const IN_TAIL = 80;

export async function benchGraph(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const options = readGraphOptions(args);
  if (options === 'help') {
    process.stdout.write(GRAPH_HELP);
    return 0;
  }
  const results = measureGraph(options, report);
  const written = await writeGraphResults(options.partial ? join(workFolder, 'results') : resultsFolder, results);
  process.stdout.write(`\n${textReport(results)}\n`);
  report(`written: ${written}.md and .json`);
  return isGood(results) ? 0 : 1;
}

export function measureGraph(options: GraphOptions, report: (text: string) => void): GraphResults {
  const { pages, meanLinks, seed, repeat } = options;
  const web = inDiscoveryOrder(powerLawWeb({ pages, meanLinks, seed }));
  report(`web: ${pages} pages, ${web.targets.length} links`);
  const graph = storeGraph(web);
  report(`stored: ${graph.bytes} bytes in ${graph.segments.length} segments`);
  const memory = bytesPerUrl(web, graph);
  const timings: Timing[] = [];
  for (let round = 1; round <= repeat; round++) {
    const timing = timeIterations(web, graph);
    timings.push(timing);
    const { secondsPerIteration, cpuSecondsPerIteration } = timing;
    report(
      `${round}/${repeat} an iteration: ${secondsPerIteration.toFixed(2)} s, CPU ${cpuSecondsPerIteration.toFixed(2)} s`,
    );
  }
  report('ranks: to the end, three times and once plainly');
  const ranking = rankAndCompare(web, graph);
  const inDegrees = new Uint32Array(pages);
  for (const target of web.targets) inDegrees[target]!++;
  const outDegrees = Uint32Array.from({ length: pages }, (_, page) => web.links(page).length);
  return {
    options,
    machine: describeMachine(new Date()),
    links: graph.links,
    inDegreeExponent: tailExponent(inDegrees, IN_TAIL),
    outDegreeExponent: tailExponent(outDegrees, OUT_TAIL),
    graphBytes: graph.bytes,
    bytesPerUrl: memory,
    timings,
    ranking,
  };
}
