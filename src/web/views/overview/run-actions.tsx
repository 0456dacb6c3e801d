/** Starts, pauses, resumes and stops runs. Each button has the command line that does the same. */
import { useState } from 'preact/hooks';
import type { RunState } from '../../../serve/contract/copies.ts';
import type { Answer } from '../../../serve/contract/routes.ts';
import type { RunAction } from '../../../serve/contract/runs.ts';
import { type ApiError, api } from '../../api/client.ts';
import { readOnlyReason, useCopy, useSession } from '../../api/session.ts';
import { asApiError } from '../../api/use-answer.ts';
import { Button, Command } from '../../ui/button.tsx';
import type { IconName } from '../../ui/icon.tsx';
import { ErrorNote } from '../../ui/states.tsx';

interface Choice {
  readonly action: RunAction;
  readonly label: string;
  readonly icon: IconName;
  readonly isMain?: boolean;
  readonly command: string;
}

const INTERRUPT = 'Ctrl-C in the terminal of the run, which saves everything';

function choicesFor(state: RunState, { summary, command, refreshCommand }: Answer<'getCopy'>): readonly Choice[] {
  const stop: Choice = { action: 'stop', label: 'Stop', icon: 'stop', command: INTERRUPT };
  switch (state) {
    case 'crawling':
    case 'refreshing':
      return [{ action: 'pause', label: 'Pause', icon: 'pause', isMain: true, command: INTERRUPT }, stop];
    case 'paused':
      return [{ action: 'resume', label: 'Resume', icon: 'play', isMain: true, command }, stop];
    case 'idle': {
      const hasPages = summary.pages > 0;
      const label = hasPages ? 'Continue the crawl' : 'Start the crawl';
      const crawl: Choice = { action: 'crawl', label, icon: 'play', isMain: !hasPages, command };
      const refresh: Choice = {
        action: 'refresh',
        label: 'Refresh',
        icon: 'refresh',
        isMain: true,
        command: refreshCommand,
      };
      if (!hasPages) return [crawl];
      return summary.waiting > 0 ? [refresh, crawl] : [refresh];
    }
    default:
      return [];
  }
}

interface Props {
  readonly detail: Answer<'getCopy'>;
  readonly state: RunState;
  readonly onRun: () => void;
}

export function RunActions({ detail, state, onRun }: Props) {
  const { copy } = useCopy();
  const session = useSession();
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const choices = choicesFor(state, detail);
  const reason = detail.summary.canRun ? readOnlyReason(session) : 'Runs of this copy are started on the command line.';

  const order = async (action: RunAction): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await api.send('orderRun', { copy }, { action });
      onRun();
    } catch (fault) {
      setError(asApiError(fault));
    }
    setBusy(false);
  };

  return (
    <div class="run-actions">
      <div class="button-row">
        {reason === null &&
          choices.map(({ action, label, icon, isMain = false }) => (
            <Button
              key={action}
              kind={isMain ? 'primary' : 'plain'}
              icon={icon}
              isDisabled={isBusy}
              onClick={() => void order(action)}
            >
              {label}
            </Button>
          ))}
        {choices.length > 0 && (
          <details class="popover">
            <summary class="button button-plain">Command line</summary>
            <div class="popover-body">
              {choices.map(({ action, label, command }) => (
                <div key={action} class="popover-part">
                  <h3>{label}</h3>
                  {command === INTERRUPT ? <p class="muted">{command}</p> : <Command text={command} />}
                </div>
              ))}
              {detail.secrets.length > 0 && (
                <p class="muted">Every run also needs {detail.secrets.join(', ')}, because secrets are never stored.</p>
              )}
              {reason !== null && <p class="muted">{reason}</p>}
            </div>
          </details>
        )}
      </div>
      {error && <ErrorNote error={error} />}
    </div>
  );
}
