/**
 * Reads the sources with the TypeScript compiler. In: a folder with a `tsconfig.json` and a part of it. Out: the syntax
 * tree of each file of that part, and a fault for each file that does not belong to the project.
 */
import { existsSync, globSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { SyntaxKind } from 'typescript/unstable/ast';
import { API, type Project } from 'typescript/unstable/sync';

/** The properties of a node that the tests read. */
export interface Node {
  readonly kind: SyntaxKind;
  readonly text?: string;
  readonly name?: Node;
  readonly expression?: Node;
  readonly arguments?: readonly Node[];
  readonly parameters?: readonly Node[];
  readonly moduleSpecifier?: Node;
  readonly argument?: Node;
  readonly literal?: Node;
  getStart(file: unknown): number;
  getText(file: unknown): string;
  forEachChild(visit: (node: Node) => void): void;
}

export interface SourceTree {
  /** Relative to the root, with forward slashes. */
  readonly file: string;
  readonly text: string;
  /** `src/url/pattern.ts:28` */
  placeOf(node: Node): string;
  textOf(node: Node): string;
  /** Visits every node, parents before their children. */
  visit(each: (node: Node) => void): void;
}

/** Reading a whole project takes seconds, so it is read once, and closed when the process ends. */
const projects = new Map<string, readonly Project[]>();

/** The project itself, and the pages of the web interface, which run in a browser. */
const CONFIGS = ['tsconfig.json', 'src/web/tsconfig.json'];

function projectsOf(root: string): readonly Project[] {
  const known = projects.get(root);
  if (known !== undefined) return known;
  const api = new API({ cwd: root });
  process.once('exit', () => api.close());
  const openProjects = CONFIGS.map((name) => join(root, name)).filter((path) => existsSync(path));
  const opened = api.updateSnapshot({ openProjects }).getProjects();
  projects.set(root, opened);
  return opened;
}

export function readTrees<T>(root: string, folder: string, use: (trees: readonly SourceTree[]) => T): T {
  const programs = projectsOf(root).map(({ program }) => program);
  const files = globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root, exclude: ['**/node_modules/**'] }).map((file) =>
    file.split(sep).join('/'),
  );
  const trees = files.sort().map((file) => {
    const tree = programs
      .map((program) => program.getSourceFile(join(root, file)))
      .find((found) => found !== undefined);
    if (tree === undefined) throw new Error(`${file} is not part of the TypeScript project in ${root}`);
    return treeOf(file, tree as unknown as Node & { readonly text: string });
  });
  return use(trees);
}

function treeOf(file: string, tree: Node & { readonly text: string }): SourceTree {
  return {
    file,
    text: tree.text,
    placeOf: (node) => `${file}:${tree.text.slice(0, node.getStart(tree)).split('\n').length}`,
    textOf: (node) => node.getText(tree),
    visit(each) {
      const walk = (node: Node): void => {
        each(node);
        node.forEachChild(walk);
      };
      tree.forEachChild(walk);
    },
  };
}
