/** The content of a version: as it was, for reading, its data, and its headers. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Answer } from '../../../serve/contract/routes.ts';
import { useCopy } from '../../api/session.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Foreign, plain } from '../../ui/foreign-text.tsx';
import { Empty, Shown } from '../../ui/states.tsx';
import { ExactTime } from '../../ui/time.tsx';
import { Markdown } from './markdown.tsx';

interface Props {
  readonly url: string;
  readonly at: string | undefined;
}
type Content = Answer<'getContent'>;

function WithContent({ url, at, children }: Props & { readonly children: (content: Content) => ComponentChildren }) {
  const { copy } = useCopy();
  const content = useAnswer('getContent', { copy }, { url, ...(at !== undefined && { at }) });
  return <Shown of={content}>{children}</Shown>;
}

export function ArchivedTab({ url, at, title }: Props & { readonly title: string }) {
  return (
    <WithContent url={url} at={at}>
      {(content) => (
        <>
          <p class="frame-line muted">
            As it was on <ExactTime at={content.at} />. Scripts do not run, and nothing is loaded from the web.
          </p>
          {/* Without allow-scripts and allow-same-origin the page can do nothing and reach nothing. */}
          <iframe
            key={content.archived}
            class="archived"
            title={`The page as it was: ${plain(title) || plain(url)}`}
            src={archivedPath(content.archived)}
            sandbox=""
            referrerpolicy="no-referrer"
            loading="eager"
          />
        </>
      )}
    </WithContent>
  );
}

/** Only a path of this server is shown in the frame. */
export function archivedPath(path: string): string {
  return /^\/(?![/\\])/.test(path) ? path : 'about:blank';
}

export function ReadingTab({ url, at }: Props) {
  return (
    <WithContent url={url} at={at}>
      {({ markdown, isCut }) =>
        markdown === null || markdown.trim() === '' ? (
          <Empty title="This version has no text">
            <p>It may be a picture, or a page that scripts fill.</p>
          </Empty>
        ) : (
          <>
            <Markdown text={markdown} base={url} />
            {isCut && <p class="hint">The text is longer than what is shown here.</p>}
          </>
        )
      }
    </WithContent>
  );
}

export function DataTab({ url, at }: Props) {
  return (
    <WithContent url={url} at={at}>
      {({ facts, structured }) => (
        <>
          <section>
            <h2>What the page states about itself</h2>
            {Object.keys(facts).length === 0 ? <p class="muted">Nothing.</p> : <DataTree value={facts} />}
          </section>
          <section class="section">
            <h2>Structured data</h2>
            {structured.length === 0 ? <p class="muted">The page has none.</p> : <DataTree value={structured} />}
          </section>
        </>
      )}
    </WithContent>
  );
}

const OPEN_DEPTH = 3;

/** Any JSON value as nested lists. Deep parts are built when they are opened. */
function DataTree({ value, depth = 0 }: { readonly value: unknown; readonly depth?: number }) {
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH);
  if (typeof value !== 'object' || value === null) {
    return <Foreign class={typeof value === 'string' ? '' : 'numbers'} text={String(value)} />;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return <span class="muted">empty</span>;
  if (!isOpen) {
    return (
      <button type="button" class="link-button" onClick={() => setOpen(true)}>
        show {entries.length} parts
      </button>
    );
  }
  return (
    <dl class="data-tree">
      {entries.map(([name, part]) => (
        <div key={name}>
          <dt>
            <Foreign text={Array.isArray(value) ? `${Number(name) + 1}.` : name} />
          </dt>
          <dd>
            <DataTree value={part} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function HeadersTab({ url, at }: Props) {
  return (
    <WithContent url={url} at={at}>
      {({ headers, status }) => (
        <dl class="facts">
          <dt>Status</dt>
          <dd>{status}</dd>
          {headers.map(([name, value], at) => (
            <div key={at} class="facts-row">
              <dt>
                <Foreign text={name ?? ''} />
              </dt>
              <dd>
                <Foreign text={value ?? ''} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </WithContent>
  );
}
