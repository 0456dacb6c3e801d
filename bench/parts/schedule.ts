/**
 * Measures the cost of the schedule: memory and time for many pages, over hosts and path patterns with visits of
 * all kinds. Prints bytes per page, the memory of the whole process, and the time to add, to learn and to plan.
 * Use the memory figures; the times depend on the load of the machine. The flag below is the one that the
 * project's own commands use.
 *
 * node --max-semi-space-size=2 bench/parts/schedule.ts [pages] [budget]
 */
import { Schedule } from '../../src/frontier/revisit/schedule.ts';
import { randomBelow, seededRandom } from '../../testbed/random.ts';

const pages = Number(process.argv[2] ?? 5_000_000);
const budget = Number(process.argv[3] ?? 100_000);
const HOSTS = 2_000;
const PATTERNS = 8;
const DAY_MS = 86_400_000;
const NOW_MS = 400 * DAY_MS;

process.stdout.write(`the process alone: ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MB resident\n`);
const random = seededRandom(1);
const schedule = new Schedule();

function timed(name: string, run: () => unknown): void {
  const before = process.threadCpuUsage();
  const result = run();
  const { user, system } = process.threadCpuUsage(before);
  const rssMb = process.memoryUsage.rss() / 2 ** 20;
  const cpuSeconds = (user + system) / 1e6;
  process.stdout.write(
    `${name}: ${cpuSeconds.toFixed(2)} s of CPU time, ${rssMb.toFixed(0)} MB resident${result ?? ''}\n`,
  );
}

timed(`add ${pages} pages`, () => {
  for (let id = 1; id <= pages; id++) {
    const changes = randomBelow(random, 10);
    const intervalMs = DAY_MS * 10 ** (2 * random() - 1);
    schedule.add({
      id,
      host: randomBelow(random, HOSTS),
      pattern: randomBelow(random, PATTERNS),
      checkedAtMs: NOW_MS - 40 * DAY_MS * random(),
      changes,
      changedLogMs: changes * Math.log(intervalMs),
      quietMs: randomBelow(random, 10) * intervalMs,
      weight: 1 / (1 + randomBelow(random, 1_000)),
      depth: randomBelow(random, 10),
    });
  }
});
timed('learn priors', () => schedule.learnPriors());
for (const hostBudget of [undefined, 100]) {
  timed(`plan ${budget}${hostBudget ? `, ${hostBudget} a host` : ''}`, () => {
    const plan = schedule.plan({ nowMs: NOW_MS, budget, ...(hostBudget ? { hostBudget } : {}) });
    let sure = 0;
    for (const { chance } of plan) sure += chance;
    return `; ${plan.length} looks, ${plan.forced} of them forced, ${Math.round(sure)} changes expected`;
  });
}
const peakMb = process.resourceUsage().maxRSS / 1024;
process.stdout.write(`${(schedule.bytes / pages).toFixed(1)} bytes a page, ${peakMb.toFixed(0)} MB at most\n`);
