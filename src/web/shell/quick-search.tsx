/** The search box above every view. The search itself is a view of its own, with an address. */
import { useState } from 'preact/hooks';
import { useCopy } from '../api/session.ts';
import { navigate } from '../routing/location.ts';
import { viewPath } from '../routing/paths.ts';
import { SEARCH_BOX_ID } from '../ui/fields.tsx';
import { Icon } from '../ui/icon.tsx';

export function QuickSearch() {
  const { copy } = useCopy();
  const [text, setText] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    // A URL is looked up, anything else is searched.
    navigate(
      /^https?:\/\/\S+$/i.test(text.trim())
        ? viewPath(copy, 'page', { url: text.trim() })
        : viewPath(copy, 'search', { q: text }),
    );
    setText('');
  };
  return (
    <search class="quick">
      <form onSubmit={submit}>
        <Icon name="search" />
        <input
          id={SEARCH_BOX_ID}
          class="input"
          type="search"
          aria-label="Search the copy, or enter a URL"
          placeholder="Search, or enter a URL"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <span class="key" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  );
}
