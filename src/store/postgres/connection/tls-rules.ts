/** Whether and how a connection is encrypted (`sslmode` and its files), as PostgreSQL's own programs understand it. */
import { readFileSync } from 'node:fs';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import { OrbweaverError } from '../../../core/errors.ts';

/** `allow` and `prefer` are the same here: encrypted if the server can, which costs next to nothing. */
export const TLS_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type TlsMode = (typeof TLS_MODES)[number];

export interface TlsRules {
  readonly mode: TlsMode;
  /** The options for a server of this name. The mode decides what the certificate must prove. */
  connectionOptions(host: string): ConnectionOptions;
}

export interface TlsParameters {
  readonly sslmode: TlsMode;
  readonly sslrootcert?: string;
  readonly sslcert?: string;
  readonly sslkey?: string;
}

/** `system` means the certificate authorities that this machine trusts. */
export function readTls({ sslmode, sslrootcert, sslcert, sslkey }: TlsParameters): TlsRules {
  if (sslmode === 'disable') return { mode: sslmode, connectionOptions: () => ({}) };
  if ((sslcert === undefined) !== (sslkey === undefined)) {
    throw refusal('needs sslcert and sslkey together: a certificate is nothing without its key');
  }
  const isSystem = sslrootcert === 'system';
  const files = {
    ...(sslrootcert && !isSystem && { ca: readFile('sslrootcert', sslrootcert) }),
    ...(sslcert && { cert: readFile('sslcert', sslcert) }),
    ...(sslkey && { key: readFile('sslkey', sslkey) }),
  };
  // If an authority was named, only that authority is trusted, also in modes that do not require a check.
  const isWeak = sslmode === 'allow' || sslmode === 'prefer' || sslmode === 'require';
  const mode: TlsMode = isSystem ? 'verify-full' : sslmode === 'require' && files.ca ? 'verify-ca' : sslmode;
  const checks =
    isWeak && mode === sslmode
      ? () => ({ rejectUnauthorized: false })
      : (host: string) => ({
          rejectUnauthorized: true,
          checkServerIdentity: (_: string, certificate: Parameters<typeof checkServerIdentity>[1]) =>
            mode === 'verify-full' ? checkServerIdentity(host, certificate) : undefined,
        });
  return { mode, connectionOptions: (host) => ({ ...files, ...checks(host) }) };
}

function readFile(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw refusal(`has an ${name} that cannot be read: ${(error as Error).message}`);
  }
}

function refusal(message: string): OrbweaverError {
  return new OrbweaverError('ERR_BAD_OPTION', `--store ${message}`);
}
