/** The frame of every view: navigation, the search box, and notices. */
import type { ComponentChildren } from 'preact';
import { readOnlyReason, useSession } from '../api/session.ts';
import { Button } from '../ui/button.tsx';
import { Icon, type IconName, Logo } from '../ui/icon.tsx';
import { ThemeSwitch } from '../ui/theme.tsx';
import { Keys, openKeys } from './keys.tsx';

interface FrameProps {
  readonly copy: string | null;
  /** Navigation of a copy. */
  readonly navigation?: ComponentChildren;
  readonly top?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Frame({ copy, navigation, top, children }: FrameProps) {
  const session = useSession();
  const reason = readOnlyReason(session);
  return (
    <div class="frame">
      <a class="skip-link" href="#main">
        Skip to the content
      </a>
      <header class="side">
        <div class="side-inner">
          <a class="brand" href="/">
            <Logo />
            <span>Orbweaver</span>
          </a>
          {navigation}
          <div class="side-foot">
            {reason !== null && (
              <p class="read-only" title={reason}>
                Read-only
                <span class="sr-only">{reason.replace('Read-only. ', ': ')}</span>
              </p>
            )}
            <ThemeSwitch />
            <Button kind="quiet" icon="keys" onClick={openKeys} title="Keys (?)">
              <span class="sr-only">Keys</span>
            </Button>
            <span class="version">{session.list.version}</span>
          </div>
        </div>
      </header>
      <div class="content">
        {top}
        <main id="main" class="main" tabIndex={-1}>
          {children}
        </main>
      </div>
      <Keys copy={copy} />
    </div>
  );
}

interface NavLinkProps {
  readonly href: string;
  readonly icon: IconName;
  readonly label: string;
  readonly isCurrent: boolean;
  readonly count?: string | undefined;
  readonly goKey?: string | undefined;
}

export function NavLink({ href, icon, label, isCurrent, count, goKey }: NavLinkProps) {
  return (
    <a class="nav-link" href={href} aria-current={isCurrent ? 'page' : undefined} title={goKey && `Keys: g ${goKey}`}>
      <Icon name={icon} />
      <span class="nav-label">{label}</span>
      {count !== undefined && <span class="nav-count">{count}</span>}
    </a>
  );
}
