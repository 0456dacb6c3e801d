/**
 * The folders of a host as a tree. Folders are loaded when they are opened; only the rows in sight are in the document,
 * so a folder with thousands of entries scrolls smoothly. The address names the folder that was opened last.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type ApiError, api } from '../../api/client.ts';
import { useCopy } from '../../api/session.ts';
import { asApiError } from '../../api/use-answer.ts';
import { navigate, withQuery } from '../../routing/location.ts';
import { ErrorNote, Skeleton } from '../../ui/states.tsx';
import { type Folders, flattenTree, parentsOf, type TreeLine } from './tree-lines.ts';
import { ROW_PX, TreeRow } from './tree-row.tsx';

/** Rows above and below the visible ones. */
const MARGIN_ROWS = 12;
const MAX_HEIGHT_PX = 640;
const COUNTING_MS = 1_500;
const MAX_ROUNDS = 4;

export function FolderTree({ host, open }: { readonly host: string; readonly open: string }) {
  const { copy } = useCopy();
  const [folders, setFolders] = useState<Folders>(new Map());
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => new Set(parentsOf(open)));
  const [error, setError] = useState<ApiError | null>(null);
  const [focused, setFocused] = useState(0);
  const [top, setTop] = useState(0);
  const frame = useRef<HTMLDivElement>(null);
  const asked = useRef(new Set<string>());
  const [round, setRound] = useState(0);

  useEffect(() => {
    for (const folder of opened) {
      if (asked.current.has(folder)) continue;
      asked.current.add(folder);
      api.get('getTree', { copy }, { host, folder }).then(
        (answer) => setFolders((before) => new Map(before).set(folder, answer)),
        (fault: unknown) => setError(asApiError(fault)),
      );
    }
  }, [opened, copy, host, round]);

  // The server counts a copy when somebody looks at it for the first time.
  const isCounting = [...folders.values()].some(({ countedAt }) => countedAt === null);
  useEffect(() => {
    if (!isCounting || round >= MAX_ROUNDS) return;
    const timer = setTimeout(() => {
      asked.current.clear();
      setRound(round + 1);
    }, COUNTING_MS);
    return () => clearTimeout(timer);
  }, [isCounting, round]);

  const lines = useMemo(() => flattenTree(folders, opened), [folders, opened]);
  const toggle = (line: TreeLine): void => {
    if (!line.row.isFolder) return;
    const next = new Set(opened);
    if (next.has(line.path)) next.delete(line.path);
    else next.add(line.path);
    setOpened(next);
    const shown = next.has(line.path) ? line.path : line.parent;
    navigate(withQuery({ folder: shown === '/' ? '' : shown }), { replace: true });
  };
  const focus = (at: number): void => {
    const index = Math.max(0, Math.min(lines.length - 1, at));
    const box = frame.current!;
    if (index * ROW_PX < box.scrollTop) box.scrollTop = index * ROW_PX;
    else if ((index + 1) * ROW_PX > box.scrollTop + box.clientHeight) {
      box.scrollTop = (index + 1) * ROW_PX - box.clientHeight;
    }
    setTop(box.scrollTop);
    setFocused(index);
    requestAnimationFrame(() => box.querySelector<HTMLElement>(`[data-line="${index}"]`)?.focus());
  };
  const press = (event: KeyboardEvent): void => {
    const line = lines[focused];
    if (line === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const isOpen = opened.has(line.path);
    switch (event.key) {
      case 'ArrowDown':
        focus(focused + 1);
        break;
      case 'ArrowUp':
        focus(focused - 1);
        break;
      case 'Home':
        focus(0);
        break;
      case 'End':
        focus(lines.length - 1);
        break;
      case 'ArrowRight':
        if (line.row.isFolder && !isOpen) toggle(line);
        else focus(focused + 1);
        break;
      case 'ArrowLeft':
        if (line.row.isFolder && isOpen) toggle(line);
        else focus(lines.findIndex(({ path }) => path === line.parent));
        break;
      default:
        return;
    }
    event.preventDefault();
  };

  if (error !== null && folders.size === 0) return <ErrorNote error={error} />;
  if (!folders.has('/')) return <Skeleton />;
  if (lines.length === 0) return <p class="muted">The copy has no URL of this host yet.</p>;
  const height = Math.min(MAX_HEIGHT_PX, lines.length * ROW_PX);
  const from = Math.max(0, Math.floor(top / ROW_PX) - MARGIN_ROWS);
  const to = Math.min(lines.length, Math.ceil((top + height) / ROW_PX) + MARGIN_ROWS);
  const isCut = [...folders.values()].some(({ isComplete }) => !isComplete);
  return (
    <>
      <div
        ref={frame}
        class="tree"
        role="treegrid"
        tabIndex={-1}
        aria-label={`Folders of ${host}`}
        aria-rowcount={lines.length}
        style={{ height: `${height}px` }}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onKeyDown={press}
      >
        <div class="tree-rows" role="presentation" style={{ height: `${lines.length * ROW_PX}px` }}>
          {lines.slice(from, to).map((line, at) => (
            <TreeRow
              key={line.key}
              line={line}
              at={from + at}
              isOpen={opened.has(line.path)}
              isFocused={from + at === focused}
              onFocus={() => setFocused(from + at)}
              onToggle={() => toggle(line)}
            />
          ))}
        </div>
      </div>
      {isCounting && <p class="hint">The copy is still being counted.</p>}
      {!isCounting && isCut && <p class="hint">A folder has more URLs than are shown.</p>}
    </>
  );
}
