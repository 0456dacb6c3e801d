/** Light, dark, or as the system says. The choice is kept in the browser. */
import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

const KEY = 'orbweaver-theme';
const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const ICONS = { auto: 'auto', light: 'sun', dark: 'moon' } as const;
const LABELS = { auto: 'as the system', light: 'light', dark: 'dark' } as const;

/** Charts are painted, not styled, so they listen. */
export const THEME_EVENT = 'orbweaver-theme';

export function applyTheme(theme: Theme = storedTheme()): void {
  document.documentElement.dataset['theme'] = theme;
  dispatchEvent(new Event(THEME_EVENT));
}

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY) as Theme | null;
    return stored !== null && THEMES.includes(stored) ? stored : 'auto';
  } catch {
    return 'auto';
  }
}

export function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
  const change = (): void => {
    setTheme(next);
    applyTheme(next);
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // The choice lasts until the page is loaded again.
    }
  };
  const label = `Colours: ${LABELS[theme]}. Change to ${LABELS[next]}`;
  return (
    <button type="button" class="button button-quiet button-icon" onClick={change} title={label} aria-label={label}>
      <Icon name={ICONS[theme]} />
    </button>
  );
}
