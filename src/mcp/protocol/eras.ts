/**
 * The two forms of MCP. Since 2026-07-28 every request carries the version of the protocol in `_meta`, and
 * `server/discover` describes the server. Before, a connection began with `initialize`. A server may serve both at once
 * (MCP 2026-07-28, Versioning, "Backward Compatibility").
 */
import { VERSION } from '../../core/version.ts';
import { INVALID_PARAMS, isObject, type Params, RpcError, UNSUPPORTED_VERSION } from './json-rpc.ts';

export const MODERN_VERSIONS = ['2026-07-28'] as const;
/** Newest first. */
export const OLD_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

const META = 'io.modelcontextprotocol';
const SERVER_INFO = { name: 'orbweaver', title: 'Orbweaver', version: VERSION };
const CAPABILITIES = { tools: {} };
/** The list of tools never changes while the server runs. */
const CACHED_MS = 3_600_000;

/** Whether a request is of the new form. Throws if its version is not supported, or a required field is missing. */
export function isModern(method: string, { _meta }: Params): boolean {
  const meta = isObject(_meta) ? _meta : {};
  const version = meta[`${META}/protocolVersion`];
  if (version === undefined && method !== 'server/discover') return false;
  if (typeof version !== 'string') {
    throw new RpcError(INVALID_PARAMS, `_meta must have ${META}/protocolVersion`);
  }
  if (!MODERN_VERSIONS.some((known) => known === version)) {
    const requested = version.slice(0, 100);
    const supported = [...MODERN_VERSIONS, ...OLD_VERSIONS];
    throw new RpcError(UNSUPPORTED_VERSION, 'Unsupported protocol version', { supported, requested });
  }
  if (!isObject(meta[`${META}/clientCapabilities`])) {
    throw new RpcError(INVALID_PARAMS, `_meta must have ${META}/clientCapabilities`);
  }
  return true;
}

export function initialized({ protocolVersion }: Params, instructions: string): Params {
  const known = OLD_VERSIONS.find((version) => version === protocolVersion);
  return {
    protocolVersion: known ?? OLD_VERSIONS[0],
    capabilities: CAPABILITIES,
    serverInfo: SERVER_INFO,
    instructions,
  };
}

export function discovered(instructions: string): Params {
  return { supportedVersions: MODERN_VERSIONS, capabilities: CAPABILITIES, instructions };
}

/** Adds what results have since 2026-07-28. */
export function modernResult(method: string, result: Params): Params {
  const caching = method === 'tools/call' ? {} : { ttlMs: CACHED_MS, cacheScope: 'private' };
  return { resultType: 'complete', ...result, ...caching, _meta: { [`${META}/serverInfo`]: SERVER_INFO } };
}
