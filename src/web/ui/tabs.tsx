/** Parts of a view. Each has an address of its own, so the parts are links. */
export interface Tab {
  readonly label: string;
  readonly href: string;
  readonly isCurrent: boolean;
}

export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.label} href={tab.href} aria-current={tab.isCurrent ? 'page' : undefined}>
          {tab.label}
        </a>
      ))}
    </nav>
  );
}
