/** What changed, newest first. New changes wait behind a bar, so that the list does not move under the reader. */
import { useEffect, useState } from 'preact/hooks';
import type { ChangesAnswer } from '../../../serve/contract/changes.ts';
import type { Query } from '../../../serve/contract/routes.ts';
import { api } from '../../api/client.ts';
import { readOnlyReason, useCopy, useSession } from '../../api/session.ts';
import { useStore } from '../../api/store.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { type Place, usePlace, withQuery } from '../../routing/location.ts';
import { Button, Command } from '../../ui/button.tsx';
import { plural } from '../../ui/format.ts';
import { Empty, Shown } from '../../ui/states.tsx';
import { Head } from '../../ui/toolbar.tsx';
import { ChangeFilters } from './change-filters.tsx';
import { ChangeList } from './change-list.tsx';
import { Subscribe } from './subscribe.tsx';

const PAGE_SIZE = 60;
const FILTERS = ['host', 'kind', 'level', 'words', 'least'] as const;

export function filtersOf({ query }: Place): Query<'listChanges'> {
  const kind = query.get('kind') as Query<'listChanges'>['kind'] | null;
  const level = query.get('level') as Query<'listChanges'>['level'] | null;
  const host = query.get('host');
  const words = query.get('words');
  const least = Number(query.get('least'));
  return {
    ...(host && { host }),
    ...(kind && { kind }),
    ...(level && { level }),
    ...(words && { words }),
    ...(Number.isSafeInteger(least) && least > 0 && { least }),
    ...(query.get('edits') === 'all' && { edits: false }),
  };
}

export function ChangesView() {
  const { copy, live } = useCopy();
  const place = usePlace();
  const before = Number(place.query.get('before')) || undefined;
  const filters = filtersOf(place);
  const changes = useAnswer('listChanges', { copy }, { ...filters, limit: PAGE_SIZE, ...(before && { before }) });
  const newCount = useStore(live.store, ({ changeCount }) => changeCount);
  const isFiltered = FILTERS.some((name) => place.query.has(name));

  // The list that is loaded now has all changes so far.
  useEffect(() => live.clearChanges(), [live]);
  const showNew = (): void => {
    live.clearChanges();
    changes.reload();
    scrollTo(0, 0);
  };

  return (
    <>
      <Head
        title="Changes"
        about={changes.data && <SeenLine answer={changes.data} onSeen={changes.reload} />}
        actions={<Subscribe filters={filters} />}
      />
      <ChangeFilters place={place} />
      {newCount > 0 && before === undefined && (
        <div class="new-changes" role="status">
          <button type="button" class="new-bar" onClick={showNew}>
            {plural(newCount, 'new change')} <span aria-hidden="true">↑</span>
          </button>
        </div>
      )}
      <Shown of={changes} rows={10}>
        {(data) =>
          data.changes.length === 0 ? (
            isFiltered || before !== undefined ? (
              <Empty title="No change fits these filters">
                <a href={place.path}>All changes</a>
              </Empty>
            ) : (
              <Empty title="Nothing has changed yet">
                <p>Changes appear here when a refresh finds new, changed or lost pages.</p>
                <Command text="orbweaver refresh" />
              </Empty>
            )
          ) : (
            <>
              <ChangeList answer={data} isOld={changes.isOld} />
              <nav class="pager" aria-label="Pages of the list">
                {before === undefined ? <span /> : <a href={withQuery({ before: '' })}>Newest changes</a>}
                {data.next !== null && <a href={withQuery({ before: String(data.next) })}>Older changes →</a>}
              </nav>
            </>
          )
        }
      </Shown>
    </>
  );
}

function SeenLine({ answer, onSeen }: { readonly answer: ChangesAnswer; readonly onSeen: () => void }) {
  const { copy } = useCopy();
  const session = useSession();
  const [isBusy, setBusy] = useState(false);
  const unseen = Math.max(0, answer.newest - answer.seen);
  if (answer.newest === 0) return null;
  if (unseen === 0) return <>You have seen all changes.</>;
  const mark = async (): Promise<void> => {
    setBusy(true);
    await api.send('markSeen', { copy }, { seq: answer.newest }).then(onSeen, () => {});
    setBusy(false);
  };
  return (
    <>
      {plural(unseen, 'change')} not seen yet.{' '}
      {readOnlyReason(session) === null && (
        <Button kind="quiet" icon="check" isDisabled={isBusy} onClick={() => void mark()}>
          Mark all as seen
        </Button>
      )}
    </>
  );
}
