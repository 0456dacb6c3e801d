/** The keyboard: `/` to search, `g` and a letter to change the view, `?` for this list. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { navigate } from '../routing/location.ts';
import { type View, viewPath } from '../routing/paths.ts';
import { SEARCH_BOX_ID } from '../ui/fields.tsx';

const GO: readonly (readonly [key: string, view: View, name: string])[] = [
  ['o', '', 'Overview'],
  ['c', 'changes', 'Changes'],
  ['f', 'search', 'Search'],
  ['s', 'sites', 'Sites'],
  ['k', 'skipped', 'Skipped'],
  ['b', 'broken', 'Broken links'],
  ['r', 'rules', 'Rules'],
];
/** The second key must follow soon. */
const SEQUENCE_MS = 1_500;

export function goKeyOf(view: View): string | undefined {
  return GO.find(([, name]) => name === view)?.[0];
}

export function Keys({ copy }: { readonly copy: string | null }) {
  const [isOpen, setOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    let goUntil = 0;
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === '?') setOpen(true);
      else if (event.key === '/') {
        const box = document.getElementById(SEARCH_BOX_ID);
        if (box === null) return;
        box.focus();
      } else if (event.key === 'g') {
        goUntil = event.timeStamp + SEQUENCE_MS;
        return;
      } else if (event.timeStamp < goUntil) {
        goUntil = 0;
        if (event.key === 'a') navigate('/');
        const view = GO.find(([key]) => key === event.key)?.[1];
        if (view === undefined || copy === null) return;
        navigate(viewPath(copy, view));
      } else return;
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [copy]);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  if (!isOpen) return null;
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="keys-title" onClose={() => setOpen(false)}>
      <h2 id="keys-title">Keys</h2>
      <dl class="keys">
        <Key keys={['/']} about="Search" />
        <Key keys={['g', 'a']} about="All copies" />
        {copy !== null && GO.map(([key, , name]) => <Key key={key} keys={['g', key]} about={name} />)}
        <Key keys={['?']} about="This list" />
        <Key keys={['Esc']} about="Close" />
      </dl>
      <form method="dialog">
        <button type="submit" class="button button-plain">
          Close
        </button>
      </form>
    </dialog>
  );
}

export function openKeys(): void {
  dispatchEvent(new KeyboardEvent('keydown', { key: '?' }));
}

function Key({ keys, about }: { readonly keys: readonly string[]; readonly about: string }) {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{about}</dd>
    </div>
  );
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
