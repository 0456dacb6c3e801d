/** Changes by day. An edit that many pages share is shown once, with its number of pages and examples. */
import type { Change, ChangesAnswer } from '../../../serve/contract/changes.ts';
import { useCopy } from '../../api/session.ts';
import { pagePath } from '../../routing/paths.ts';
import { ChangeKind } from '../../ui/badge.tsx';
import { Foreign, UrlText } from '../../ui/foreign-text.tsx';
import {
  formatCount,
  formatDay,
  formatFullTime,
  formatMinute,
  formatName,
  formatShare,
  plural,
} from '../../ui/format.ts';

interface Props {
  readonly answer: ChangesAnswer;
  readonly isOld: boolean;
}
type Edit = ChangesAnswer['edits'][number];

export function ChangeList({ answer, isOld }: Props) {
  const days = Map.groupBy(answer.changes, ({ at }) => formatDay(new Date(at)));
  const edits = new Map(answer.edits.map((edit) => [edit.edit, edit]));
  return (
    <div class={`changes${isOld ? ' is-old' : ''}`}>
      {[...days].map(([day, changes]) => (
        <section key={day} aria-label={day}>
          <h2 class="day">{day}</h2>
          <ul>
            {changes.map((change) => (
              <ChangeItem
                key={change.seq}
                change={change}
                isUnseen={change.seq > answer.seen}
                edit={change.edit === null ? undefined : edits.get(change.edit)}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

interface ItemProps {
  readonly change: Change;
  readonly isUnseen: boolean;
  readonly edit: Edit | undefined;
}

function ChangeItem({ change, isUnseen, edit }: ItemProps) {
  const { copy } = useCopy();
  const { at, url, title, kind } = change;
  const date = new Date(at);
  const href = pagePath(copy, url, kind === 'changed' || kind === 'noise' ? { tab: 'diff', to: at } : {});
  return (
    <li class={`change${isUnseen ? ' is-unseen' : ''}`}>
      <span class="change-kind">
        <ChangeKind kind={kind} />
      </span>
      <div class="change-body">
        <a class="change-title" href={href}>
          {title === '' ? <UrlText url={url} /> : <Foreign text={title} />}
        </a>
        {isUnseen && <span class="sr-only"> (not seen)</span>}
        {title !== '' && (
          <p class="change-url">
            <UrlText url={url} />
          </p>
        )}
        {edit !== undefined && edit.pages > 1 && <SharedEdit edit={edit} />}
      </div>
      <span class="change-what">{whatChanged(change)}</span>
      <Words change={change} />
      <time class="change-time" dateTime={at} title={formatFullTime(date)}>
        {formatMinute(date)}
      </time>
    </li>
  );
}

function SharedEdit({ edit }: { readonly edit: Edit }) {
  const { copy } = useCopy();
  return (
    <details class="shared">
      <summary>The same edit on {plural(edit.pages, 'page')}</summary>
      <ul class="examples">
        {edit.examples.map((url) => (
          <li key={url}>
            <a href={pagePath(copy, url, { tab: 'diff' })}>
              <UrlText url={url} />
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

function whatChanged({ level, part, kinds, reason, shared }: Change): string {
  const parts = [
    reason !== null && formatName(reason),
    kinds.length > 0 && kinds.map(formatName).join(', '),
    level !== null && level !== 'content' && level,
    part === 'template' && 'template',
    shared !== null && shared < 0.5 && `${formatShare(shared)} stayed`,
  ];
  return parts.filter(Boolean).join(' · ');
}

function Words({ change: { wordsAdded, wordsRemoved } }: { readonly change: Change }) {
  if ((wordsAdded ?? 0) + (wordsRemoved ?? 0) === 0) return <span class="change-words" />;
  return (
    <span class="change-words">
      <span class="good">+{formatCount(wordsAdded ?? 0)}</span>{' '}
      <span class="bad">−{formatCount(wordsRemoved ?? 0)}</span>
      <span class="sr-only"> words</span>
    </span>
  );
}
