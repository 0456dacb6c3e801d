/** One rule: its option, its value, and the field that changes it. */
import { useState } from 'preact/hooks';
import type { Rule, Rules } from '../../../serve/contract/runs.ts';
import { type ApiError, api } from '../../api/client.ts';
import { useCopy } from '../../api/session.ts';
import { asApiError } from '../../api/use-answer.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/fields.tsx';
import { Foreign } from '../../ui/foreign-text.tsx';
import { choicesIn, valueFrom } from './rule-value.ts';

interface Props {
  readonly rule: Rule;
  readonly mayChange: boolean;
  readonly onChange: (rules: Rules) => void;
}

export function RuleRow({ rule, mayChange, onChange }: Props) {
  const { copy } = useCopy();
  const [typed, setTyped] = useState<string | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const id = `rule-${rule.name}`;
  const isSwitch = typeof rule.value === 'boolean';
  const isList = Array.isArray(rule.value);
  const choices = choicesIn(rule.hint);

  const save = async (value: unknown): Promise<void> => {
    setError(null);
    try {
      onChange(await api.send('changeRules', { copy }, { rules: { [rule.name]: value } }));
      setTyped(null);
    } catch (fault) {
      setError(asApiError(fault));
    }
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    void save(valueFrom(typed ?? '', rule.value));
  };

  return (
    <li class="rule">
      <div class="rule-about">
        <h2>
          <code>
            {rule.flag} {rule.hint}
          </code>
        </h2>
        <p class="muted" id={`${id}-help`}>
          {rule.help}
        </p>
      </div>
      <div class="rule-value">
        {typed === null ? (
          <div class="rule-now">
            <span class={rule.isDefault ? 'muted rule-text' : 'rule-text'}>
              <Foreign text={rule.text === '' ? '(empty)' : rule.text} />
            </span>
            {rule.isDefault && <Badge tone="quiet">default</Badge>}
            {rule.pending !== null && (
              <Badge tone="warn">
                pending: <Foreign text={rule.pending} />
              </Badge>
            )}
            {mayChange && (
              <Button onClick={() => (isSwitch ? void save(!rule.value) : setTyped(rule.text))} kind="quiet">
                {isSwitch ? (rule.value ? 'Switch off' : 'Switch on') : 'Change'}
                <span class="sr-only"> {rule.flag}</span>
              </Button>
            )}
          </div>
        ) : (
          <form class="rule-form" onSubmit={submit}>
            {choices !== null ? (
              <Select
                label={rule.flag}
                value={typed}
                choices={choices.map((value) => ({ value, label: value }))}
                onChange={setTyped}
              />
            ) : isList ? (
              <textarea
                class="input"
                rows={Math.min(8, Math.max(2, typed.split('\n').length))}
                aria-label={`${rule.flag}, one value per line`}
                aria-describedby={`${id}-help`}
                value={typed}
                onInput={(event) => setTyped(event.currentTarget.value)}
              />
            ) : (
              <input
                class="input"
                type="text"
                aria-label={rule.flag}
                aria-describedby={`${id}-help`}
                aria-invalid={error !== null}
                value={typed}
                onInput={(event) => setTyped(event.currentTarget.value)}
              />
            )}
            <div class="button-row">
              <Button type="submit" kind="primary">
                Save
              </Button>
              <Button onClick={() => setTyped(null)}>Cancel</Button>
              {!rule.isDefault && (
                <Button kind="quiet" onClick={() => void save(null)}>
                  Restore the default
                </Button>
              )}
            </div>
          </form>
        )}
        {error && (
          <p class="bad" role="alert">
            {error.message}
          </p>
        )}
      </div>
    </li>
  );
}
