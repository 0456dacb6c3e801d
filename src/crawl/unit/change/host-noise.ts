/**
 * Joins the visits of a page with the evidence for noise of its host (change/evidence). In: two versions of a page
 * without the noise of the rules. Out: the versions without the regions that are noise on this host, and new evidence.
 */
import { compareLooks } from '../../../change/evidence/compare-looks.ts';
import { leaveOutRegions } from '../../../change/evidence/leave-out-regions.ts';
import type { IgnoredRegion, Look, NoiseEvidence } from '../../../change/evidence/noise-evidence.ts';
import type { PageVersion } from '../../../change/page-change.ts';
import type { PageOutline } from '../../../core/page/page-outline.ts';

type TemplateTest = (line: string) => boolean;

export class NoiseOfVisit {
  readonly #evidence: NoiseEvidence;
  readonly #look: Look;
  readonly #ignored: readonly IgnoredRegion[];
  readonly #tests: readonly TemplateTest[];
  readonly #outlines: PageOutline[] = [];
  readonly #removed: ReadonlyMap<string, string>[] = [];

  constructor(evidence: NoiseEvidence, look: Look, versions: readonly [before: PageVersion, after: PageVersion]) {
    this.#evidence = evidence;
    this.#look = look;
    this.#ignored = evidence.ignored(look.atMs);
    this.#tests = versions.map(templateTestOf);
  }

  /** Called with the version before, and then with the version after. */
  ignore(outline: PageOutline): PageOutline {
    const test = this.#tests[this.#outlines.length];
    this.#outlines.push(outline);
    if (this.#ignored.length === 0) return outline;
    const { outline: left, removed } = leaveOutRegions(outline, this.#ignored, test);
    this.#removed.push(removed);
    return left;
  }

  /** The ignored regions in which the versions differ, named like noise rules. */
  get names(): readonly string[] {
    const [was, is] = this.#removed;
    if (was === undefined || is === undefined) return [];
    const paths = new Set([...was.keys(), ...is.keys()]);
    return [...paths].filter((path) => was.get(path) !== is.get(path)).map(noiseName);
  }

  /** Adds the differences to the evidence. Returns whether one of them may be noise. */
  record(): boolean {
    const [before, after] = this.#outlines;
    if (before === undefined || after === undefined) return false;
    const [was, is] = this.#tests;
    const compared = compareLooks(before, after, { before: was!, after: is! });
    this.#evidence.record(this.#look, compared);
    return compared.different.some(({ ownership }) => ownership !== 'own');
  }
}

export function noiseName(path: string): string {
  return `learned: ${path}`;
}

/** The test reads the page again, so it is made only when it is asked. */
function templateTestOf({ templateTest }: PageVersion): TemplateTest {
  let test: TemplateTest | undefined;
  return (line) => {
    test ??= templateTest?.() ?? (() => false);
    return test(line);
  };
}
