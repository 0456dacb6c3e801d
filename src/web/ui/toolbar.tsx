/** The one toolbar: filters at the left, actions at the right. */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { wasOpenedHere } from '../routing/location.ts';

interface ToolbarProps {
  readonly label: string;
  readonly children: ComponentChildren;
  readonly actions?: ComponentChildren;
}

export function Toolbar({ label, children, actions }: ToolbarProps) {
  return (
    <div class="toolbar" role="group" aria-label={label}>
      <div class="toolbar-filters">{children}</div>
      {actions && <div class="toolbar-actions">{actions}</div>}
    </div>
  );
}

interface PagerProps {
  readonly from: number;
  readonly shown: number;
  readonly total: number;
  readonly what: string;
  readonly hrefOf: (offset: number) => string;
  readonly size: number;
}

export function Pager({ from, shown, total, what, hrefOf, size }: PagerProps) {
  if (total <= size && from === 0) return null;
  const last = Math.max(0, Math.floor((total - 1) / size) * size);
  return (
    <nav class="pager" aria-label="Pages of the list">
      {from > 0 ? <a href={hrefOf(Math.max(0, from - size))}>← Previous</a> : <span class="muted">← Previous</span>}
      <span class="numbers">
        {(from + 1).toLocaleString('en-US')}–{(from + shown).toLocaleString('en-US')} of {total.toLocaleString('en-US')}{' '}
        {what}
      </span>
      {from < last ? <a href={hrefOf(from + size)}>Next →</a> : <span class="muted">Next →</span>}
    </nav>
  );
}

interface HeadProps {
  readonly title: ComponentChildren;
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
}

/** The head of a view. The heading takes the focus when a view opens, so that screen readers say where one is. */
export function Head({ title, about, actions }: HeadProps) {
  const heading = useHeading();
  return (
    <header class="head">
      <div class="head-text">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {about && <p class="head-about">{about}</p>}
      </div>
      {actions && <div class="head-actions">{actions}</div>}
    </header>
  );
}

/** Names the browser's tab after the heading. */
export function useHeading(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${heading.current?.textContent ?? ''} · Orbweaver`;
  });
  useEffect(() => {
    if (wasOpenedHere()) heading.current?.focus({ preventScroll: true });
  }, []);
  return heading;
}
