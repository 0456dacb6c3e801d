/** The difference between two versions, word by word, in one column or in two. */
import type { Answer, Query } from '../../../serve/contract/routes.ts';
import { useCopy } from '../../api/session.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { usePlace, withQuery } from '../../routing/location.ts';
import { formatCount } from '../../ui/format.ts';
import { Empty, Shown } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ExactTime } from '../../ui/time.tsx';
import { DiffHunks } from './diff-hunks.tsx';

const MORE_CONTEXT = 1_000;

export function DiffTab({ url }: { readonly url: string }) {
  const { copy } = useCopy();
  const { query } = usePlace();
  const of = query.get('of') === 'source' ? 'source' : 'text';
  const isWide = query.get('view') !== 'inline';
  const hasAll = query.get('context') === 'all';
  const from = query.get('from');
  const to = query.get('to');
  const wanted: Query<'getDiff'> = {
    url,
    of,
    ...(from !== null && { from }),
    ...(to !== null && { to }),
    ...(hasAll && { context: MORE_CONTEXT }),
  };
  const diff = useAnswer('getDiff', { copy }, wanted);
  return (
    <>
      <div class="diff-tools">
        <Tabs
          label="What is compared"
          tabs={[
            { label: 'Text', href: withQuery({ of: '' }), isCurrent: of === 'text' },
            { label: 'Source', href: withQuery({ of: 'source' }), isCurrent: of === 'source' },
          ]}
        />
        <Tabs
          label="How it is shown"
          tabs={[
            { label: 'Side by side', href: withQuery({ view: '' }), isCurrent: isWide },
            { label: 'Inline', href: withQuery({ view: 'inline' }), isCurrent: !isWide },
          ]}
        />
      </div>
      <Shown of={diff}>
        {(data) => (
          <>
            <DiffHead diff={data} />
            {data.hunks.length === 0 ? (
              <NoDifference diff={data} />
            ) : (
              <>
                <DiffHunks hunks={data.hunks} isWide={isWide} />
                {data.isCut && <p class="hint">The comparison is longer than what is shown here.</p>}
                <p class="hint">
                  {hasAll ? (
                    <a href={withQuery({ context: '' })}>Fold equal parts</a>
                  ) : (
                    <a href={withQuery({ context: 'all' })}>Show equal parts, too</a>
                  )}
                </p>
              </>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

function DiffHead({ diff }: { readonly diff: Answer<'getDiff'> }) {
  const { from, to, wordsAdded, wordsRemoved, linesAdded, linesRemoved } = diff;
  const [added, removed, unit] =
    wordsAdded === null ? [linesAdded, linesRemoved, 'lines'] : [wordsAdded, wordsRemoved, 'words'];
  return (
    <p class="diff-head">
      {from === null ? 'No earlier version' : <ExactTime at={from.at} />} → <ExactTime at={to.at} />
      {added !== null && (
        <span class="numbers">
          <span class="good">+{formatCount(added)}</span> <span class="bad">−{formatCount(removed ?? 0)}</span> {unit}
        </span>
      )}
    </p>
  );
}

function NoDifference({ diff: { from, isCompared, of } }: { readonly diff: Answer<'getDiff'> }) {
  if (from === null) {
    return (
      <Empty title="There is only one version">
        <p>A refresh that finds other content stores a second one.</p>
      </Empty>
    );
  }
  if (!isCompared) return <Empty title="These versions have no text that can be compared" />;
  return (
    <Empty title={of === 'text' ? 'The text is the same' : 'The source is the same'}>
      {of === 'text' && (
        <p>
          Something else differs. <a href={withQuery({ of: 'source' })}>Compare the source</a>
        </p>
      )}
    </Empty>
  );
}
