/**
 * Finds the imports of the sources. In: a folder with a `tsconfig.json`, and a part of it. Out: each import in any form
 * (static, for its effects, type-only, re-export, dynamic, `import type`, `new URL(…, import.meta.url)`), and a fault
 * for each dynamic import whose target is not a plain string.
 */
import { posix } from 'node:path';
import { SyntaxKind } from 'typescript/unstable/ast';
import { type Node, readTrees, type SourceTree } from './source-trees.ts';

export interface Import {
  readonly from: string;
  /** A file of the project, or the name of a package. */
  readonly to: string;
  /** The import disappears when the types are stripped. */
  readonly typeOnly: boolean;
}

export interface FoundImports {
  readonly files: readonly string[];
  readonly imports: readonly Import[];
  readonly faults: readonly string[];
}

export function findImports(root: string, folder: string): FoundImports {
  return readTrees(root, folder, (trees) => {
    const found = trees.map(importsOf);
    return {
      files: trees.map(({ file }) => file),
      imports: found.flatMap(({ imports }) => imports),
      faults: found.flatMap(({ faults }) => faults),
    };
  });
}

function importsOf(tree: SourceTree): { imports: Import[]; faults: string[] } {
  const imports: Import[] = [];
  const faults: string[] = [];
  const add = (node: Node, target: Node | undefined, typeOnly: boolean): void => {
    if (target?.kind !== SyntaxKind.StringLiteral && target?.kind !== SyntaxKind.NoSubstitutionTemplateLiteral) {
      faults.push(`${tree.placeOf(node)} imports a file whose name is not written there`);
      return;
    }
    const name = target.text!;
    const to = name.startsWith('.') ? posix.join(posix.dirname(tree.file), name) : name;
    imports.push({ from: tree.file, to, typeOnly });
  };
  tree.visit((node) => {
    switch (node.kind) {
      case SyntaxKind.ImportDeclaration:
        add(node, node.moduleSpecifier, isErased(tree.textOf(node)));
        break;
      case SyntaxKind.ExportDeclaration:
        if (node.moduleSpecifier !== undefined) add(node, node.moduleSpecifier, isErased(tree.textOf(node)));
        break;
      case SyntaxKind.ImportType:
        add(node, node.argument?.literal, true);
        break;
      case SyntaxKind.CallExpression:
        if (node.expression?.kind === SyntaxKind.ImportKeyword) add(node, node.arguments?.[0], false);
        break;
      case SyntaxKind.NewExpression:
        if (isFileUrl(tree, node)) add(node, node.arguments?.[0], false);
        break;
      default:
    }
  });
  return { imports, faults };
}

/**
 * `new URL('./unit.ts', import.meta.url)` starts or reads a source file of the project. Other file endings are data.
 */
function isFileUrl(tree: SourceTree, node: Node): boolean {
  const [target, base] = node.arguments ?? [];
  if (base === undefined || tree.textOf(node.expression!) !== 'URL') return false;
  return tree.textOf(base) === 'import.meta.url' && /^\..*\.ts$/.test(target!.text ?? '');
}

/** `import type …` or `import { type A, type B } from`. The text is one statement, so these few patterns suffice. */
function isErased(statement: string): boolean {
  if (/^(?:import|export)\s+type\b/.test(statement)) return true;
  const names = /^(?:import|export)\s*\{([^}]*)\}/.exec(statement)?.[1];
  if (names === undefined) return false;
  const all = names.split(',').map((name) => name.trim());
  return all.every((name) => name === '' || name.startsWith('type '));
}
