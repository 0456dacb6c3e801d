/** The search box with completion: a combobox with a list, as the ARIA Authoring Practices describe it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { useCopy } from '../../api/session.ts';
import { SEARCH_BOX_ID } from '../../ui/fields.tsx';
import { plain } from '../../ui/foreign-text.tsx';
import { Icon } from '../../ui/icon.tsx';

const LIST_ID = 'search-completions';
const TYPING_MS = 90;
const MAX_SHOWN = 8;

interface Props {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onSubmit: (value: string) => void;
}

export function SearchBox({ value, onChange, onSubmit }: Props) {
  const { copy } = useCopy();
  const [words, setWords] = useState<readonly string[]>([]);
  const [chosen, setChosen] = useState(-1);
  /** Completion starts with the first letter that is typed, not when the view opens. */
  const [isTyping, setTyping] = useState(false);
  const box = useRef<HTMLInputElement>(null);

  useEffect(() => {
    setChosen(-1);
    const { prefix, before } = lastWordOf(value);
    if (!isTyping || prefix === '') {
      setWords([]);
      return;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      api.get('complete', { copy }, { prefix, ...(before && { before }) }, abort.signal).then(
        ({ words }) => setWords(words.filter((word) => word !== prefix).slice(0, MAX_SHOWN)),
        () => setWords([]),
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [value, isTyping, copy]);

  const close = (): void => {
    setTyping(false);
    setWords([]);
    setChosen(-1);
  };
  const take = (word: string): void => {
    onChange(`${value.slice(0, value.length - lastWordOf(value).prefix.length)}${word} `);
    close();
    box.current?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && words.length > 0) close();
    else if (event.key === 'ArrowDown' && words.length > 0) setChosen((at) => (at + 1) % words.length);
    else if (event.key === 'ArrowUp' && words.length > 0) setChosen((at) => (at <= 0 ? words.length : at) - 1);
    else if (event.key === 'Enter' && chosen >= 0) take(words[chosen]!);
    else return;
    event.preventDefault();
  };
  const isOpen = words.length > 0;
  return (
    <search class="search-box">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          close();
          onSubmit(value);
        }}
      >
        <Icon name="search" />
        <input
          ref={box}
          id={SEARCH_BOX_ID}
          class="input"
          type="text"
          inputMode="search"
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          aria-label="Search the copy"
          aria-expanded={isOpen}
          aria-controls={LIST_ID}
          aria-autocomplete="list"
          aria-activedescendant={chosen >= 0 ? `${LIST_ID}-${chosen}` : undefined}
          placeholder="Search the copy"
          value={value}
          onInput={(event) => {
            setTyping(true);
            onChange(event.currentTarget.value);
          }}
          onKeyDown={press}
          onBlur={close}
        />
      </form>
      <div id={LIST_ID} role="listbox" aria-label="Completions" class="completions" hidden={!isOpen}>
        {words.map((word, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the box, which keeps the focus.
          <div
            key={word}
            id={`${LIST_ID}-${at}`}
            role="option"
            aria-selected={at === chosen}
            // The box must not lose the focus before the click arrives.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(word)}
          >
            {plain(word)}
          </div>
        ))}
      </div>
    </search>
  );
}

/** The word that is being typed, and the one in front of it. */
export function lastWordOf(text: string): { readonly prefix: string; readonly before: string } {
  const words = text.slice(-220).split(/[\s"():]+/);
  const prefix = (words.at(-1) ?? '').replace(/^[-+]/, '');
  return { prefix: prefix.slice(0, 100), before: (words.at(-2) ?? '').slice(0, 100) };
}
