/** Length of the gzip header at the beginning (RFC 1952 §2.3), or 0 if there is none or it is cut off. */
export function gzipHeaderBytes(bytes: Buffer): number {
  if (bytes.length < 10 || bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8) return 0;
  const flags = bytes[3]!;
  let at = 10;
  if (flags & 4) at += bytes.length >= at + 2 ? 2 + bytes.readUInt16LE(at) : 2;
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end === -1) return 0;
    at = end + 1;
  }
  if (flags & 2) at += 2;
  return at <= bytes.length ? at : 0;
}
