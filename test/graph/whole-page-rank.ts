import { PageRankRun } from '../../src/graph/page-rank.ts';

/** PageRank of a whole graph at once. The segments are opened again for each iteration. */
export function pageRank(
  openSegments: () => Iterable<Uint8Array>,
  urls: number,
  options?: ConstructorParameters<typeof PageRankRun>[1],
): ReturnType<PageRankRun['result']> {
  const run = new PageRankRun(urls, options);
  while (!run.isDone) {
    for (const segment of openSegments()) run.add(segment);
    run.endIteration();
  }
  return run.result();
}
