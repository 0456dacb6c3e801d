/**
 * Measures one form of a hostile robots.txt, for `robots.ts`. In: the name of the form, and whether
 * to compare answers. Out: the cost, as JSON.
 */

import { robotsFor } from '../src/robots/match.ts';
import { parseRobotsTxt } from '../src/robots/parse-robots-txt.ts';
import { PathRules } from '../src/robots/path-rules.ts';
import { spellPath } from '../src/robots/rule-pattern.ts';
import { hostileForm } from '../test/robots/hostile-forms.ts';
import { plainMatcher } from '../test/robots/plain-matcher.ts';

export interface FormCost {
  readonly cpuSeconds: number;
  readonly compileSeconds: number;
  readonly megabytes: number;
  readonly differences: number;
}

const URLS = 1_000;
/** Number of compared paths. It is small because the plain matcher takes up to half a second for a path. */
const COMPARED = 4;

const form = hostileForm(process.argv[2]!, { fileBytes: 511_990, pathChars: 2_000, seed: 1 });
const paths = Array.from({ length: URLS }, (_, index) => form.path(index));
const before = process.cpuUsage();
const robots = robotsFor(parseRobotsTxt(form.robots), 'orbweaver');
const answers = [robots.allows(paths[0]!)];
const compiled = process.cpuUsage(before);
for (let index = 1; index < URLS; index++) answers.push(robots.allows(paths[index]!));
const all = process.cpuUsage(before);

const rules = parseRobotsTxt(form.robots).groups.flatMap((group) => (group.agents.includes('*') ? group.rules : []));
const plain = plainMatcher(rules);
const compiledRules = new PathRules({ read: () => rules });
compiledRules.allows(spellPath('/'));
const cost: FormCost = {
  cpuSeconds: (all.user + all.system) / 1e6,
  compileSeconds: (compiled.user + compiled.system) / 1e6,
  megabytes: compiledRules.byteLength / 1e6,
  differences: paths
    .slice(0, process.argv[3] === 'compare' ? COMPARED : 0)
    .filter((path, index) => plain(path) !== answers[index]).length,
};
process.stdout.write(JSON.stringify(cost));
