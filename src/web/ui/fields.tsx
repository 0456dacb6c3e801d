/** Fields of toolbars and forms. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Every view has at most one search box; the key `/` leads to it. */
export const SEARCH_BOX_ID = 'search-box';
const TYPING_MS = 250;

interface FilterProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'search' | 'number';
}

/** A text that narrows a list while it is typed. */
export function FilterField({ label, value, onChange, type = 'search' }: FilterProps) {
  const [typed, setTyped] = useState(value);
  const timer = useRef(0);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (next: string): void => {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => onChange(next), TYPING_MS);
  };
  return (
    <input
      class={`input input-${type}`}
      type="search"
      inputMode={type === 'number' ? 'numeric' : 'search'}
      aria-label={label}
      placeholder={label}
      value={typed}
      onInput={(event) => change(event.currentTarget.value)}
    />
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string) => void;
}

export function Select({ label, value, choices, onChange }: SelectProps) {
  return (
    <select class="input" aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly id: string;
  readonly children: ComponentChildren;
}

export function Field({ label, hint, id, children }: FieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
