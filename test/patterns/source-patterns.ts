/**
 * Every regular expression of a folder of TypeScript, for the tests and the proof that look for slow ones.
 *
 * In: a folder with a `tsconfig.json`, and the part of it to search. Out: literals (read by the TypeScript compiler),
 * patterns that
 * are built from texts while a module loads (recorded while it is imported), and faults: places whose pattern cannot be
 * found out.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SyntaxKind } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';

export interface SourcePattern {
  /** `src/url/pattern.ts:28` */
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

export interface FoundPatterns {
  readonly patterns: readonly SourcePattern[];
  readonly faults: readonly string[];
}

interface Site {
  readonly file: string;
  readonly place: string;
}

/** With a text instead of a pattern these methods build a regular expression of their own. */
const PATTERN_METHODS: ReadonlySet<string> = new Set(['match', 'matchAll', 'search']);
const TEXTS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateExpression,
  SyntaxKind.BinaryExpression,
]);

/** `userPatterns` are the files whose patterns the user writes. */
export async function findPatterns(
  root: string,
  folder: string,
  userPatterns: readonly string[],
): Promise<FoundPatterns> {
  const { literals, sites, faults } = readFiles(root, folder);
  const built = sites.filter(({ file }) => !userPatterns.includes(file));
  const recorded = await recordPatterns(root, new Set(built.map(({ file }) => file)));
  const isRun = new Set(recorded.map(({ place }) => place));
  const hidden = built.filter(({ place }) => !isRun.has(place));
  const hiddenFaults = hidden.map(
    ({ place }) =>
      `${place} builds a pattern inside a function. Build it where the module loads, so that it is checked.`,
  );
  return { patterns: [...literals, ...recorded], faults: [...faults, ...hiddenFaults] };
}

function readFiles(root: string, folder: string): { literals: SourcePattern[]; sites: Site[]; faults: string[] } {
  const literals: SourcePattern[] = [];
  const sites: Site[] = [];
  const faults: string[] = [];
  const api = new API({ cwd: root });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] });
    const { program } = snapshot.getProjects()[0]!;
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    for (const name of files) {
      const file = join(folder, name);
      const tree = program.getSourceFile(join(root, file));
      if (tree === undefined) {
        faults.push(`${file} is not part of the project.`);
        continue;
      }
      const placeOf = (position: number) => `${file}:${tree.text.slice(0, position).split('\n').length}`;
      const visit = (node: Node): void => {
        const place = () => placeOf(node.getStart(tree));
        if (node.kind === SyntaxKind.RegularExpressionLiteral) {
          const text = node.getText(tree);
          const end = text.lastIndexOf('/');
          literals.push({ place: place(), source: text.slice(1, end), flags: text.slice(end + 1) });
        } else if (node.kind === SyntaxKind.NewExpression || node.kind === SyntaxKind.CallExpression) {
          const { expression, arguments: given } = node as CallNode;
          if (expression.kind === SyntaxKind.Identifier && expression.text === 'RegExp') {
            sites.push({ file, place: place() });
          } else if (expression.name !== undefined && PATTERN_METHODS.has(expression.name.text ?? '')) {
            const isText = given?.[0] !== undefined && TEXTS.has(given[0].kind);
            if (isText) faults.push(`${place()} gives a text where a regular expression is meant.`);
          }
        }
        node.forEachChild(visit);
      };
      tree.forEachChild(visit as never);
    }
  } finally {
    api.close();
  }
  return { literals, sites, faults };
}

/** The part of a node of the compiler's tree that is read here. */
interface Node {
  readonly kind: SyntaxKind;
  readonly text?: string;
  getStart(file: unknown): number;
  getText(file: unknown): string;
  forEachChild(visit: (node: Node) => void): void;
}

interface CallNode extends Node {
  readonly expression: Node & { readonly name?: Node };
  readonly arguments?: readonly Node[];
}

/** Imports the files while `RegExp` notes who calls it. They must not have been imported before. */
async function recordPatterns(root: string, files: ReadonlySet<string>): Promise<SourcePattern[]> {
  const recorded: SourcePattern[] = [];
  const original = globalThis.RegExp;
  const note = (pattern: RegExp): RegExp => {
    const place = callerIn(root, new Error().stack ?? '');
    if (place !== null) recorded.push({ place, source: pattern.source, flags: pattern.flags });
    return pattern;
  };
  globalThis.RegExp = new Proxy(original, {
    construct: (target, words) => note(Reflect.construct(target, words) as RegExp),
    apply: (target, self, words) => note(Reflect.apply(target, self, words) as RegExp),
  });
  try {
    for (const file of files) await import(pathToFileURL(join(root, file)).href);
  } finally {
    globalThis.RegExp = original;
  }
  return recorded;
}

/** The innermost line of a stack that lies below the folder. This file is none of them. */
function callerIn(root: string, stack: string): string | null {
  const base = pathToFileURL(`${root}/`).href;
  for (const line of stack.split('\n').slice(1)) {
    const at = line.indexOf(base);
    if (at === -1 || line.includes(import.meta.url)) continue;
    const [file, row] = line.slice(at + base.length).split(':');
    return `${decodeURIComponent(file!)}:${row}`;
  }
  return null;
}
