/** Every change that somebody made through the interface, as a line of JSON in `audit.log` of the data folder. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { FILE_MODES } from '../../core/file-modes.ts';
import { safeJson } from '../../core/safe-text.ts';

const AUDIT_FILE = 'audit.log';

export interface AuditEntry {
  readonly route: string;
  /** The address of the client. */
  readonly from: string;
  /** The checked body of the request; it holds no secrets. */
  readonly body: unknown;
  readonly status: number;
}

export function audit(dir: string, entry: AuditEntry): void {
  const line = safeJson({ at: new Date().toISOString(), ...entry });
  appendFileSync(join(dir, AUDIT_FILE), `${line}\n`, { mode: FILE_MODES.nobody });
}
