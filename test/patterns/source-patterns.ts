/**
 * Finds every regular expression in a folder of TypeScript, for the tests and the proof that look for slow ones.
 *
 * In: a folder with a `tsconfig.json`, and the part of it to search. Out: literals, patterns that a module builds from
 * strings while it loads (recorded during its import), and faults: places whose pattern cannot be determined.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SyntaxKind } from 'typescript/unstable/ast';
import { readTrees } from '../architecture/source-trees.ts';

export interface SourcePattern {
  /** A place such as `src/url/pattern.ts:28`. */
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

/** These methods build a regular expression if they get a string in place of a pattern. */
const PATTERN_METHODS: ReadonlySet<string> = new Set(['match', 'matchAll', 'search']);
const TEXTS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateExpression,
  SyntaxKind.BinaryExpression,
]);

/** `userPatterns`: the files whose patterns come from the user. */
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
  readTrees(root, folder, (trees) => {
    for (const tree of trees) {
      tree.visit((node) => {
        if (node.kind === SyntaxKind.RegularExpressionLiteral) {
          const text = tree.textOf(node);
          const end = text.lastIndexOf('/');
          literals.push({ place: tree.placeOf(node), source: text.slice(1, end), flags: text.slice(end + 1) });
        } else if (node.kind === SyntaxKind.NewExpression || node.kind === SyntaxKind.CallExpression) {
          const { expression, arguments: given } = node;
          if (expression!.kind === SyntaxKind.Identifier && expression!.text === 'RegExp') {
            sites.push({ file: tree.file, place: tree.placeOf(node) });
          } else if (expression!.name !== undefined && PATTERN_METHODS.has(expression!.name.text ?? '')) {
            const isText = given?.[0] !== undefined && TEXTS.has(given[0].kind);
            if (isText) faults.push(`${tree.placeOf(node)} gives a text where a regular expression is meant.`);
          }
        }
      });
    }
  });
  return { literals, sites, faults };
}

/** Imports the files while `RegExp` records its callers. The files must not have been imported before. */
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

/** The innermost stack line below the folder, without the lines of this file. */
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
