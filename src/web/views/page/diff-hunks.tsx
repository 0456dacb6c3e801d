/** The parts of a comparison that differ, with some lines around them. */
import type { Answer } from '../../../serve/contract/routes.ts';
import { plain } from '../../ui/foreign-text.tsx';
import { formatCount } from '../../ui/format.ts';
import { type DiffLine, type DiffRow, inlineLines, rowsOf } from './diff-rows.ts';

type Hunk = Answer<'getDiff'>['hunks'][number];

/** More lines would make the page slow; the rest is shown on request. */
const FIRST_HUNKS = 200;

export function DiffHunks({ hunks, isWide }: { readonly hunks: readonly Hunk[]; readonly isWide: boolean }) {
  const shown = hunks.slice(0, FIRST_HUNKS);
  return (
    <div class="diff" role="region" aria-label="Differences">
      {shown.map((hunk, at) => (
        <div key={`${hunk.oldLine} ${hunk.newLine}`} class="hunk">
          <Fold before={shown[at - 1]} hunk={hunk} />
          {isWide ? <SideBySide hunk={hunk} /> : <Inline hunk={hunk} />}
        </div>
      ))}
      {hunks.length > shown.length && (
        <p class="hint">
          {formatCount(hunks.length - shown.length)} more parts differ. The command line shows all of them.
        </p>
      )}
    </div>
  );
}

function Fold({ before, hunk }: { readonly before: Hunk | undefined; readonly hunk: Hunk }) {
  const from = before === undefined ? 1 : before.newLine + before.newLines;
  const lines = hunk.newLine - from;
  if (lines <= 0) return null;
  return (
    <p class="fold">
      {formatCount(lines)} equal {lines === 1 ? 'line' : 'lines'}
    </p>
  );
}

function SideBySide({ hunk }: { readonly hunk: Hunk }) {
  return (
    <table class="diff-table diff-wide">
      <colgroup>
        <col class="col-number" />
        <col />
        <col class="col-number" />
        <col />
      </colgroup>
      <thead class="sr-only">
        <tr>
          <th scope="col">Line</th>
          <th scope="col">Earlier</th>
          <th scope="col">Line</th>
          <th scope="col">Later</th>
        </tr>
      </thead>
      <tbody>
        {rowsOf(hunk).map((row, at) => (
          <tr key={at} class={isSame(row) ? 'is-same' : undefined}>
            <Side line={row.left} kind="removed" />
            <Side line={row.right} kind="added" />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function isSame({ left, right }: DiffRow): boolean {
  return (
    left !== null &&
    right !== null &&
    left.parts.every(({ kind }) => kind === 'same') &&
    left.parts.length === right.parts.length
  );
}

function Side({ line, kind }: { readonly line: DiffRow['left']; readonly kind: 'removed' | 'added' }) {
  if (line === null) {
    return (
      <>
        <td class="line-number" />
        <td class="line-empty" />
      </>
    );
  }
  const isChanged = line.parts.some((part) => part.kind === kind);
  return (
    <>
      <td class="line-number">{line.number}</td>
      <td class={isChanged ? `line-${kind}` : ''}>
        <LineText line={line} />
      </td>
    </>
  );
}

function Inline({ hunk }: { readonly hunk: Hunk }) {
  return (
    <table class="diff-table">
      <colgroup>
        <col class="col-number" />
        <col />
      </colgroup>
      <thead class="sr-only">
        <tr>
          <th scope="col">Line</th>
          <th scope="col">Text</th>
        </tr>
      </thead>
      <tbody>
        {inlineLines(hunk).map((line, at) => (
          <tr key={at}>
            <td class="line-number">{line.number}</td>
            <td>
              <LineText line={line} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function LineText({ line }: { readonly line: DiffLine }) {
  return (
    <bdi dir="auto">
      {line.parts.map(({ kind, text }, at) =>
        kind === 'removed' ? (
          <del key={at}>{plain(text)}</del>
        ) : kind === 'added' ? (
          <ins key={at}>{plain(text)}</ins>
        ) : (
          plain(text)
        ),
      )}
    </bdi>
  );
}
