/** One line of the tree: a folder or a URL, with its states and sizes. */

import { useCopy } from '../../api/session.ts';
import { pagePath } from '../../routing/paths.ts';
import { UrlState } from '../../ui/badge.tsx';
import { Foreign } from '../../ui/foreign-text.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { StateBar } from '../../ui/state-bar.tsx';
import type { TreeLine } from './tree-lines.ts';

export const ROW_PX = 30;
const INDENT_PX = 18;

interface Props {
  readonly line: TreeLine;
  readonly at: number;
  readonly isOpen: boolean;
  readonly isFocused: boolean;
  readonly onFocus: () => void;
  readonly onToggle: () => void;
}

export function TreeRow({ line, at, isOpen, isFocused, onFocus, onToggle }: Props) {
  const { copy } = useCopy();
  const { row, level } = line;
  const [state] = Object.entries(row.states).find(([, count]) => count > 0) ?? [''];
  const control = {
    'data-line': at,
    tabIndex: isFocused ? 0 : -1,
    onFocus,
    class: 'tree-name',
    style: { paddingLeft: `${(level - 1) * INDENT_PX}px` },
  };
  return (
    <div
      class="tree-row"
      role="row"
      aria-level={level}
      aria-rowindex={at + 1}
      aria-expanded={row.isFolder ? isOpen : undefined}
      style={{ top: `${at * ROW_PX}px` }}
    >
      <span role="gridcell" class="tree-cell">
        {row.isFolder ? (
          <button type="button" {...control} onClick={onToggle}>
            <span class={`tree-arrow${isOpen ? ' is-open' : ''}`}>
              <Icon name="right" />
            </span>
            <Foreign text={row.name} />
          </button>
        ) : (
          <a {...control} href={row.url === null ? undefined : pagePath(copy, row.url)}>
            <Icon name="file" />
            <Foreign text={row.name === '' ? '(this folder)' : row.name} />
          </a>
        )}
      </span>
      <span role="gridcell" class="tree-states">
        {row.isFolder ? <StateBar states={row.states} /> : state !== '' && <UrlState state={state} />}
      </span>
      <span role="gridcell" class="number tree-count">
        {row.isFolder ? formatCount(row.urls) : ''}
      </span>
      <span role="gridcell" class="number tree-size">
        {row.bytes > 0 ? formatBytes(row.bytes) : ''}
      </span>
    </div>
  );
}
