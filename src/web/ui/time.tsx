/** A time relative to now, with the exact time for those who ask. Refreshed every half minute. */
import { useEffect, useState } from 'preact/hooks';
import { formatAgo, formatFullTime } from './format.ts';

const REFRESH_MS = 30_000;

export function Ago({ at }: { readonly at: string | null }) {
  const [, setRound] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setRound((round) => round + 1), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  if (at === null) return <span class="muted">never</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={formatFullTime(date)} class="nowrap">
      {formatAgo(date)}
    </time>
  );
}

export function ExactTime({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} class="nowrap">
      {formatFullTime(new Date(at))}
    </time>
  );
}
