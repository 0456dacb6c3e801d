/**
 * Makes the site that is watched. In: a number of files. Out: a folder with these files.
 *
 * The pages are small, with 100 to 1,000 pages per folder, and nested folders for larger numbers, as in
 * generated sites. What always holds: the same number and seed give the same files. A tree with a `tree.json`
 * beside it is complete.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBelow, seededRandom } from '../../testbed/random.ts';

const GENERATOR_VERSION = 1;
const FEWEST_IN_FOLDER = 100;
const MOST_IN_FOLDER = 1_000;
const FOLDERS_IN_FOLDER = 40;
const WRITERS = 16;

export interface FileTree {
  readonly folder: string;
  readonly files: number;
  /** Path relative to the folder, with `/` as separator. */
  path(file: number): string;
}

export async function makeTree(
  parentFolder: string,
  files: number,
  seed: number,
  report: (text: string) => void,
): Promise<FileTree> {
  const folder = join(parentFolder, `${files}-files-seed-${seed}`);
  const manifestPath = `${folder}.json`;
  const folders = planFolders(files, seed);
  const paths = pathsBy(folders);
  const tree: FileTree = { folder, files, path: paths };
  const manifest = JSON.stringify({ generator: GENERATOR_VERSION, files, seed });
  if ((await readFile(manifestPath, 'utf8').catch(() => '')) === manifest) return tree;
  report(`making ${files.toLocaleString('en')} files`);
  await rm(folder, { recursive: true, force: true });
  for (const { path } of folders) await mkdir(join(folder, path), { recursive: true });
  let next = 0;
  const write = async () => {
    while (next < files) {
      const file = next++;
      await writeFile(join(folder, paths(file)), pageText(file, 0, files, paths));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  await writeFile(manifestPath, manifest);
  return tree;
}

interface PlannedFolder {
  readonly path: string;
  readonly firstFile: number;
}

/** The first folder is the root of the site and contains its main page. */
export function planFolders(files: number, seed: number): PlannedFolder[] {
  const random = seededRandom(seed, files);
  const folders: PlannedFolder[] = [];
  for (let file = 0; file < files; ) {
    const number = folders.length;
    const parent = number === 0 ? '' : folders[Math.floor((number - 1) / FOLDERS_IN_FOLDER)]!.path;
    folders.push({
      path: number === 0 ? '' : `${parent === '' ? '' : `${parent}/`}section-${number}`,
      firstFile: file,
    });
    file += FEWEST_IN_FOLDER + randomBelow(random, MOST_IN_FOLDER - FEWEST_IN_FOLDER + 1);
  }
  return folders;
}

function pathsBy(folders: readonly PlannedFolder[]): (file: number) => string {
  return (file) => {
    let [low, high] = [0, folders.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (folders[middle]!.firstFile <= file) low = middle;
      else high = middle - 1;
    }
    const { path, firstFile } = folders[low]!;
    const name = file === firstFile ? 'index.html' : `page-${file}.html`;
    return path === '' ? name : `${path}/${name}`;
  };
}

/** Another `version` gives another page. */
export function pageText(file: number, version: number, files: number, path: (file: number) => string): string {
  const links = [1, 7, 31].map((step) => `<a href="/${path((file + step) % files)}">page ${(file + step) % files}</a>`);
  const text = `Page ${file} of ${files}, version ${version}.`;
  return `<!doctype html><title>Page ${file}</title><h1>Page ${file}</h1><p>${text}</p><nav>${links.join(' ')}</nav>\n`;
}
