/** The account of the server: PostgreSQL refuses to run as root, so root runs it as an account without other rights. */
import { readFileSync } from 'node:fs';

const LENT = ['postgres', 'nobody'] as const;

export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
}

/** Returns undefined when we are not root: the server then runs as the current user. */
export function serverAccount(accounts = readFileSync('/etc/passwd', 'utf8')): ServerAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const rows = accounts.split('\n').map((line) => line.split(':'));
  for (const name of LENT) {
    const row = rows.find(([user]) => user === name);
    if (row !== undefined) return { uid: Number(row[2]), gid: Number(row[3]) };
  }
  throw new Error(`PostgreSQL does not run as root, and there is no account ${LENT.join(' or ')}`);
}
