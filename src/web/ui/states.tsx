/** What a view shows while its answer is on its way, if there is none, and if there was an error. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from '../api/client.ts';
import type { Loaded } from '../api/use-answer.ts';
import { Button } from './button.tsx';

/** A skeleton that appears for a moment is more disturbing than nothing. */
const PATIENCE_MS = 200;

export function Skeleton({ rows = 6 }: { readonly rows?: number }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return <div class="skeleton" />;
  return (
    <div class="skeleton" role="status">
      <span class="sr-only">Loading</span>
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} class={`skeleton-bar skeleton-${at % 3}`} />
      ))}
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

export function ErrorNote({ error, onRetry }: { readonly error: ApiError; readonly onRetry?: () => void }) {
  return (
    <div class="note note-bad" role="alert">
      <p>
        <strong>{error.message}</strong>
      </p>
      {nextStepOf(error) !== '' && <p>{nextStepOf(error)}</p>}
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

function nextStepOf({ status }: ApiError): string {
  if (status === 0) return 'Look at the terminal in which orbweaver serve runs, and start it again if it has ended.';
  if (status === 401 || status === 403) return 'Open the link with the token that orbweaver serve printed.';
  if (status === 404) return 'The address may be mistyped, or what it names was removed.';
  if (status === 429) return 'The server is busy. Wait for a moment.';
  if (status >= 500) return 'The terminal of orbweaver serve may say more.';
  return '';
}

interface AnswerProps<T> {
  readonly of: Loaded<T>;
  readonly rows?: number;
  readonly children: (data: T) => ComponentChildren;
}

export function Shown<T>({ of: loaded, rows, children }: AnswerProps<T>) {
  if (loaded.data !== undefined) return <>{children(loaded.data)}</>;
  if (loaded.error !== undefined) return <ErrorNote error={loaded.error} onRetry={loaded.reload} />;
  return <Skeleton {...(rows !== undefined && { rows })} />;
}
