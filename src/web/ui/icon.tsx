/** Icons as lines of one width. They repeat a text beside them, so screen readers ignore them. */
const PATHS = {
  overview: 'M3 12h4l3-8 4 16 3-8h4',
  changes: 'M12 8v4l3 2M3.5 12a8.5 8.5 0 1 0 2.8-6.3M3 3v4h4',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5',
  sites: 'M4 5h6v5H4zM14 14h6v5h-6zM14 5h6v5h-6zM7 10v6.5h7',
  skipped: 'M5 6l7 6-7 6zM13 6l6 6-6 6z',
  broken: 'M9 15l-2 2a3.5 3.5 0 0 1-5-5l3-3M15 9l2-2a3.5 3.5 0 0 1 5 5l-3 3M9 4v3M4 9H2M15 20v-3M20 15h2',
  rules: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  copies:
    'M4 7c0-1.7 3.6-3 8-3s8 1.3 8 3-3.6 3-8 3-8-1.3-8-3zM4 7v10c0 1.7 3.6 3 8 3s8-1.3 8-3V7M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  check: 'M5 12.5l4.5 4.5L19 7',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  auto: 'M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18',
  keys: 'M3 7h18v10H3zM7 11h.01M11 11h.01M15 11h.01M8 14h8',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 5l12 7-12 7z',
  stop: 'M6 6h12v12H6z',
  refresh: 'M20 11a8 8 0 0 0-14.5-4L3 9.5M4 13a8 8 0 0 0 14.5 4l2.5-2.5M3 4v5.5h5.5M21 20v-5.5h-5.5',
  folder: 'M3 6h6l2 2h10v11H3z',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  right: 'M9 6l6 6-6 6',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  feed: 'M5 19h.01M5 12a7 7 0 0 1 7 7M5 5a14 14 0 0 1 14 14',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l1.5 2h-15zM10 21h4',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The web of an orb weaver. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d="M12 2v20M2 12h20M5 5l14 14M19 5 5 19" />
      <path d="M12 8.5l2.5 1 1 2.5-1 2.5-2.5 1-2.5-1-1-2.5 1-2.5zM12 4.5l5.3 2.2 2.2 5.3-2.2 5.3-5.3 2.2-5.3-2.2L4.5 12l2.2-5.3z" />
    </svg>
  );
}
