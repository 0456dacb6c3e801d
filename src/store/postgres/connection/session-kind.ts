/** Which of several servers is accepted (`target_session_attrs`), as PostgreSQL's own programs understand it. */
export const SESSION_KINDS = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

export interface ServerRole {
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
}

export function suits(kind: SessionKind, { isStandby, isReadOnly }: ServerRole): boolean {
  if (kind === 'read-write') return !isReadOnly;
  if (kind === 'read-only') return isReadOnly;
  if (kind === 'primary') return !isStandby;
  if (kind === 'standby' || kind === 'prefer-standby') return isStandby;
  return true;
}
