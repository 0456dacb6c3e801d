import type { FetchReason } from './fetch-reasons.ts';

/** The state of the request when the error occurred. */
export interface FailurePoint {
  readonly secure: boolean;
  readonly proxied: boolean;
  /** The request was written to a connection. */
  readonly sent: boolean;
}

/** Error code: the name resolves to an address that is not public. */
export const PRIVATE_ADDRESS_CODE = 'ORB_PRIVATE_ADDRESS';
/** Error code: the other side closed the connection without an error. */
export const DISCONNECTED_CODE = 'ORB_DISCONNECTED';
/** Error code: we closed the connection or the fetcher. */
export const CLOSED_CODE = 'ORB_CLOSED';

const DNS_CODES: ReadonlySet<string> = new Set(
  'ENOTFOUND ENODATA ESERVFAIL EBADNAME EBADRESP ETIMEOUT EREFUSED ECANCELLED'.split(' '),
);

const TLS_CODES: ReadonlySet<string> = new Set(
  `EPROTO DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN HOSTNAME_MISMATCH INVALID_CA INVALID_PURPOSE
  PATH_LENGTH_EXCEEDED`.split(/\s+/),
);

/**
 * Converts an error of the HTTP client, of TLS or of the socket to a reason. For
 * unknown errors, the state of the request decides.
 */
export function networkReason(error: unknown, point: FailurePoint): FetchReason {
  const { code, name, message } = describe(error);
  if (code === PRIVATE_ADDRESS_CODE) return 'private-address';
  // A refused CONNECT and a 407 are errors of the HTTP client that can be recognized only by their messages.
  if (code.startsWith('UND_ERR_PRX') || (point.proxied && message.startsWith('Proxy '))) return 'proxy-failed';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'headers-too-large';
  // An end of input inside a message is a broken connection. Every other error of the parser is broken HTTP.
  if (name === 'HTTPParserError') return message.includes('EOF') ? 'connection-reset' : 'bad-response';
  if (code === 'UND_ERR_SOCKET' && message.startsWith('bad ')) return 'bad-response';
  if (isTlsCode(code)) return 'tls-failed';
  if (point.sent) return sentReason(code);
  if (point.proxied) return 'proxy-failed';
  if (code.startsWith('EAI_') || DNS_CODES.has(code)) return 'dns-failed';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'connect-timeout';
  // The other side closed the connection during the TLS handshake.
  if (point.secure && (code === 'ECONNRESET' || code === 'EPIPE' || code === DISCONNECTED_CODE)) return 'tls-failed';
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED' || code === CLOSED_CODE) return 'connection-reset';
  if (code === 'UND_ERR_INVALID_ARG') return 'internal-error';
  return 'connect-failed';
}

/** Whether the other side closed the connection, and did not send something wrong. */
export function isDisconnect(error: unknown): boolean {
  const { code, message } = describe(error);
  if (code === 'UND_ERR_SOCKET') return !message.startsWith('bad ');
  return code === 'ECONNRESET' || code === 'EPIPE' || code === DISCONNECTED_CODE;
}

function sentReason(code: string): FetchReason {
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') return 'internal-error';
  if (code.startsWith('ERR_HTTP2_') && code !== 'ERR_HTTP2_STREAM_ERROR' && code !== 'ERR_HTTP2_SESSION_ERROR') {
    return code === 'ERR_HTTP2_STREAM_CANCEL' ? 'connection-reset' : 'bad-response';
  }
  return 'connection-reset';
}

function isTlsCode(code: string): boolean {
  return (
    TLS_CODES.has(code) ||
    code.startsWith('ERR_TLS_') ||
    code.startsWith('ERR_SSL_') ||
    /^(?:CERT|CRL|UNABLE_TO)_/.test(code)
  );
}

function describe(error: unknown): { code: string; name: string; message: string } {
  if (!(error instanceof Error)) return { code: '', name: '', message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { code, name: error.name, message: error.message };
}
