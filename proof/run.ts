/**
 * `npm run proof`: the exhaustive runs that are too long for `npm test`.
 *
 * In: names of proofs (all proofs if none is given), and after `--` words for the proof itself.
 * Out: a table per proof on stdout, progress on stderr, and `proof/results/<name>.json` and `.md`.
 * The exit code is 1 when a row does not hold. A proof that lacks something on this machine is skipped, with a line at
 * the end that says what; if it was named, the exit code is 1.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeMachine, type Machine } from '../bench/report/machine.ts';
import type { ProofResult } from './proof.ts';
import { PROOFS } from './proofs.ts';

const WORK_FOLDER = join(import.meta.dirname, 'work');
const RESULTS_FOLDER = join(import.meta.dirname, 'results');

async function main(): Promise<number> {
  const given = process.argv.slice(2);
  const end = given.includes('--') ? given.indexOf('--') : given.length;
  const names = end === 0 ? Object.keys(PROOFS) : given.slice(0, end);
  const words = given.slice(end + 1);
  const unknown = names.find((name) => !Object.hasOwn(PROOFS, name));
  if (unknown !== undefined) {
    process.stderr.write(`There is no proof "${unknown}". Known proofs: ${Object.keys(PROOFS).join(', ')}.\n`);
    return 2;
  }
  let allHold = true;
  const skipped: string[] = [];
  for (const name of names) {
    const lacking = (await (await PROOFS[name]!()).lacks?.()) ?? null;
    if (lacking === null) allHold = (await runProof(name, words)) && allHold;
    else skipped.push(`${name}: skipped. ${lacking}`);
  }
  for (const line of skipped) process.stderr.write(`${line}\n`);
  // Who names a proof wants it to run.
  return allHold && (end === 0 || skipped.length === 0) ? 0 : 1;
}

async function runProof(name: string, words: readonly string[]): Promise<boolean> {
  const report = (line: string) => process.stderr.write(`${name}: ${line}\n`);
  const workFolder = join(WORK_FOLDER, name);
  await rm(workFolder, { recursive: true, force: true });
  await mkdir(workFolder, { recursive: true });
  const startedMs = Date.now();
  const proof = await PROOFS[name]!();
  report(proof.claim);
  const result = await proof.run({ workFolder, report, words });
  const seconds = (Date.now() - startedMs) / 1000;
  const text = markdown(name, proof.claim, result, seconds, describeMachine(new Date(startedMs)));
  process.stdout.write(`\n${text}\n`);
  const holds = result.rows.every((row) => row.holds);
  if (words.length === 0) {
    await mkdir(RESULTS_FOLDER, { recursive: true });
    const { rows, notes, details } = result;
    const machine = describeMachine(new Date(startedMs));
    const json = { name, claim: proof.claim, holds, seconds, machine, rows, notes, details };
    await writeFile(join(RESULTS_FOLDER, `${name}.json`), `${JSON.stringify(json, undefined, 2)}\n`);
    await writeFile(join(RESULTS_FOLDER, `${name}.md`), text);
    report(`The results are in proof/results/${name}.md and .json.`);
  }
  if (holds) await rm(workFolder, { recursive: true, force: true });
  else report(`A row does not hold. The files of the run are in ${workFolder}.`);
  return holds;
}

function markdown(name: string, claim: string, result: ProofResult, seconds: number, machine: Machine): string {
  const rows = result.rows.map(
    ({ what, target, measured, holds }) => `| ${what} | ${target} | ${measured} | ${holds ? 'yes' : 'NO'} |`,
  );
  const notes = [
    ...result.notes,
    `The run took ${Math.round(seconds)} s.`,
    `Machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node}, ${machine.date} UTC.`,
  ];
  return `# ${name}

${claim}

| what | target | measured | holds |
| --- | --- | --- | --- |
${rows.join('\n')}

${notes.map((note) => `- ${note}`).join('\n')}
`;
}

process.exitCode = await main();
