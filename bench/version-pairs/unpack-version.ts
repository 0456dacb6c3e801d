/**
 * Unpacks one version of a site. In: a pair and a version. Out: a folder with its files, which is downloaded once by the
 * ordinary client of the registry, as the machine has it set up.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BadOption } from '../options.ts';
import type { VersionPair } from './pairs.ts';

const run = promisify(execFile);

export async function unpackVersion(workFolder: string, pair: VersionPair, version: string): Promise<string> {
  const parent = join(workFolder, 'versions');
  const folder = join(parent, `${pair.name}-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(parent, { recursive: true });
  const partial = await mkdtemp(join(parent, 'partial-'));
  try {
    const files =
      pair.from === 'maven' ? await javadocOf(pair, version, partial) : await packageOf(pair, version, partial);
    await rename(files, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return folder;
}

async function javadocOf({ artifact }: VersionPair, version: string, folder: string): Promise<string> {
  const words = [
    `-Dartifact=${artifact}:${version}:jar:javadoc`,
    `-DoutputDirectory=${folder}`,
    '-Dmdep.overWriteSnapshots',
  ];
  await runTool('mvn', ['-q', '-B', 'dependency:copy', ...words], folder, 'maven');
  const jar = (await readdir(folder)).find((each) => each.endsWith('.jar'));
  if (jar === undefined) throw new Error(`mvn downloaded no documentation of ${artifact} ${version}`);
  await runTool('unzip', ['-q', join(folder, jar), '-d', join(folder, 'files')], folder, 'unzip');
  return join(folder, 'files');
}

async function packageOf(
  { artifact, folder: below = '' }: VersionPair,
  version: string,
  folder: string,
): Promise<string> {
  await runTool('npm', ['pack', '--silent', `${artifact}@${version}`], folder, 'npm');
  const archive = (await readdir(folder)).find((each) => each.endsWith('.tgz'))!;
  await runTool('tar', ['xzf', archive], folder, 'tar');
  return join(folder, 'package', below);
}

async function runTool(tool: string, words: readonly string[], cwd: string, packageName: string): Promise<void> {
  try {
    await run(tool, words, { cwd });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new BadOption(`${tool} is not installed; install the Debian package ${packageName}, or leave this site out`);
  }
}
