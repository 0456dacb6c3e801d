/** The rules of the crawl. Those of the fixed list can be changed here; the rest are changed on the command line. */
import { useState } from 'preact/hooks';
import type { Rules } from '../../../serve/contract/runs.ts';
import { readOnlyReason, useCopy, useSession } from '../../api/session.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { usePlace, withQuery } from '../../routing/location.ts';
import { Command } from '../../ui/button.tsx';
import { Shown } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Head } from '../../ui/toolbar.tsx';
import { RuleRow } from './rule-row.tsx';

const SHOWN = ['set', 'editable', 'all'] as const;

export function RulesView() {
  const { copy } = useCopy();
  const { query } = usePlace();
  const loaded = useAnswer('getRules', { copy });
  const [changed, setChanged] = useState<Rules | null>(null);
  const session = useSession();
  const reason = readOnlyReason(session);
  const shown = SHOWN.find((name) => name === query.get('show')) ?? 'editable';
  return (
    <>
      <Head title="Rules" about="Stored with the copy. Every crawl and refresh uses them." />
      <Shown of={loaded}>
        {(first) => {
          const { rules, command } = changed ?? first;
          const rows = rules.filter((rule) =>
            shown === 'all' ? true : shown === 'set' ? !rule.isDefault || rule.pending !== null : rule.canChange,
          );
          return (
            <>
              <div class="rules-command">
                <Command text={command} />
              </div>
              <Tabs
                label="Which rules"
                tabs={[
                  { label: 'Can be changed here', href: withQuery({ show: '' }), isCurrent: shown === 'editable' },
                  { label: 'Not at the default', href: withQuery({ show: 'set' }), isCurrent: shown === 'set' },
                  { label: 'All', href: withQuery({ show: 'all' }), isCurrent: shown === 'all' },
                ]}
              />
              {reason !== null && <p class="note note-info">{reason}</p>}
              {rows.length === 0 && <p class="muted">All rules have their default values.</p>}
              <ul class="rules">
                {rows.map((rule) => (
                  <RuleRow
                    key={rule.name}
                    rule={rule}
                    mayChange={rule.canChange && reason === null}
                    onChange={setChanged}
                  />
                ))}
              </ul>
            </>
          );
        }}
      </Shown>
    </>
  );
}
