/** Writes the configuration of the server. In: a web and its folders. Out: the text of an nginx.conf. */
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { LocalWeb } from './make.ts';

/** The format of a log line. access-log.ts reads it, and node-server.ts writes the same format. */
const LOG_FORMAT = '$status $server_addr $request_uri $body_bytes_sent $sent_http_content_encoding $msec $bytes_sent';
/** An empty Last-Modified removes the header of the file. */
const NO_VALIDATORS = `  etag off;
  if_modified_since off;
  add_header Last-Modified "";
`;

export interface ServerManners {
  /** Whether responses have ETag and Last-Modified, and conditional requests are answered with 304. */
  readonly validators: boolean;
  /** The loopback port of the site's watcher; null when it has none. */
  readonly reportPort: number | null;
  /** Simulated latency of the server. */
  readonly answerAfterMs: number;
}

export function nginxConfig(
  web: LocalWeb,
  port: number,
  prefixFolder: string,
  logPath: string,
  { validators, reportPort }: Pick<ServerManners, 'validators' | 'reportPort'>,
): string {
  const { plan } = web;
  const report =
    reportPort === null
      ? ''
      : ` location = /.well-known/orbweaver-report { proxy_pass http://127.0.0.1:${reportPort}; proxy_set_header Host $http_host; }`;
  const servers = plan.hosts.map(
    (host) =>
      `  server { listen ${host}:${port} backlog=1024; server_name _; root ${quote(join(web.folder, host))};${report} }`,
  );
  const temporaryPaths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `  ${kind}_temp_path ${quote(join(prefixFolder, kind))};`,
  );
  // When root starts nginx, nginx runs its worker as a user who may not have access to this folder.
  const user = process.getuid?.() === 0 ? `user ${userInfo().username};\n` : '';
  return `${user}worker_processes 1;
daemon off;
pid ${quote(join(prefixFolder, 'nginx.pid'))};
error_log ${quote(join(prefixFolder, 'error.log'))} warn;
events { worker_connections 4096; }
http {
${temporaryPaths.join('\n')}
  types { text/html html; text/plain txt; image/gif gif; application/xml xml; application/gzip gz; }
  default_type application/octet-stream;
  charset utf-8;
  log_format pages '${LOG_FORMAT}';
  access_log ${quote(logPath)} pages buffer=1m;
  sendfile on;
  tcp_nopush on;
  tcp_nodelay on;
  keepalive_timeout 120s;
  keepalive_requests 1000000;
  gzip_static on;
  gzip_vary on;
  open_file_cache max=100000 inactive=600s;
  open_file_cache_valid 600s;
${validators ? '' : NO_VALIDATORS}${servers.join('\n')}
}
`;
}

function quote(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
