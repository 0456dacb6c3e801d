/** The one form of a short label with a meaning. A colour never says something that the words do not say. */
import type { ComponentChildren } from 'preact';
import type { RunState } from '../../serve/contract/copies.ts';
import { formatName } from './format.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet' | 'accent';

interface BadgeProps {
  readonly tone: Tone;
  readonly hasDot?: boolean;
  readonly children: ComponentChildren;
}

export function Badge({ tone, hasDot = false, children }: BadgeProps) {
  return <span class={`badge badge-${tone}${hasDot ? ' badge-dot' : ''}`}>{children}</span>;
}

const URL_TONES: Readonly<Record<string, Tone>> = {
  fetched: 'good',
  waiting: 'info',
  duplicate: 'quiet',
  redirect: 'quiet',
  skipped: 'quiet',
  failed: 'bad',
  gone: 'warn',
  missing: 'warn',
};

export function toneOfUrlState(state: string): Tone {
  return URL_TONES[state] ?? 'quiet';
}

export function UrlState({ state, reason }: { readonly state: string; readonly reason?: string | null }) {
  return <Badge tone={toneOfUrlState(state)}>{formatName(reason ?? state)}</Badge>;
}

const RUN_TONES: Readonly<Record<RunState, Tone>> = {
  idle: 'quiet',
  starting: 'info',
  crawling: 'good',
  refreshing: 'good',
  pausing: 'warn',
  stopping: 'warn',
  paused: 'warn',
};

export function RunStateBadge({ state }: { readonly state: RunState }) {
  return (
    <Badge tone={RUN_TONES[state]} hasDot>
      {state}
    </Badge>
  );
}

const CHANGE_TONES: Readonly<Record<string, Tone>> = {
  new: 'good',
  changed: 'accent',
  returned: 'good',
  moved: 'info',
  gone: 'bad',
  orphaned: 'warn',
  noise: 'quiet',
};

export function ChangeKind({ kind }: { readonly kind: string }) {
  return <Badge tone={CHANGE_TONES[kind] ?? 'quiet'}>{kind}</Badge>;
}
