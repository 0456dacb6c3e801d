/**
 * Raw HTTP replies over all parts of the protocol, sound and flawed, by name. A server that sends one of them closes
 * the connection afterwards. `curl-answers.jsonl` has what curl makes of each of them (`npm run proof -- replies` asks
 * the installed curl again).
 */
import { CHUNKED_BODIES } from './chunks.ts';
import { CODINGS } from './codings.ts';
import { FRAMING } from './framing.ts';
import { HEADS } from './heads.ts';
import type { RawReplies } from './reply.ts';

export const RAW_REPLIES: RawReplies = { ...HEADS, ...FRAMING, ...CHUNKED_BODIES, ...CODINGS };
