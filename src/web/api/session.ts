/** What this browser may do, and the copies of the server. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { CopyList } from '../../serve/contract/copies.ts';
import type { LiveCopy } from './live-copy.ts';

export interface Session {
  readonly list: CopyList;
  readonly reload: () => void;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  return useContext(SessionContext)!;
}

/** Why the controls that change something are missing; null if they work. */
export function readOnlyReason({ list }: Session): string | null {
  if (list.isReadOnly) return 'This server was started read-only.';
  if (list.mayWrite) return null;
  return 'Read-only. Open the link with the token that orbweaver serve printed to start and stop runs.';
}

export interface CopyScope {
  readonly copy: string;
  readonly live: LiveCopy;
}

export const CopyContext = createContext<CopyScope | null>(null);

export function useCopy(): CopyScope {
  return useContext(CopyContext)!;
}
