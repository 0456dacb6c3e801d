import { crc32 } from 'node:zlib';

/**
 * Builds gzip members with stored blocks, without zlib. In: bytes that are already compressed, or heads that are so
 * short that starting zlib costs more than the rest of the page. Out: a member that every gunzip can read.
 *
 * What always holds: the bytes themselves are not copied here.
 *
 * Member (RFC 1952): 10 bytes of header, deflate data, CRC-32 and length of the plain bytes, four bytes each.
 * Stored block (RFC 1951 §3.2.4): a byte whose lowest bit means "last", the length and its complement, the bytes.
 */
export const MEMBER_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const BLOCK_HEADER_BYTES = 5;
export const MEMBER_LEAD_BYTES = MEMBER_HEADER.length + BLOCK_HEADER_BYTES;
export const MEMBER_TRAIL_BYTES = 8;
export const MAX_STORED_BYTES = 65_535;

/**
 * Completes a member in place. The plain bytes are from `start + MEMBER_LEAD_BYTES` to `dataEnd`, and fit into one
 * stored block. Returns the end of the member.
 */
export function closeStoredMember(buffer: Buffer, start: number, dataEnd: number): number {
  const dataStart = start + MEMBER_LEAD_BYTES;
  const dataBytes = dataEnd - dataStart;
  buffer.set(MEMBER_HEADER, start);
  writeBlockHeader(buffer, start + MEMBER_HEADER.length, dataBytes, true);
  const checksum = crc32(buffer.subarray(dataStart, dataEnd));
  buffer.writeUInt32LE(checksum, dataEnd);
  buffer.writeUInt32LE(dataBytes, dataEnd + 4);
  return dataEnd + MEMBER_TRAIL_BYTES;
}

/** Like closeStoredMember, for any number of bytes. Returns pieces that must be written one after the other. */
export function storedMember(pieces: readonly Buffer[]): Buffer[] {
  let leftBytes = 0;
  let checksum = 0;
  for (const piece of pieces) {
    leftBytes += piece.length;
    checksum = crc32(piece, checksum);
  }
  const trailer = Buffer.allocUnsafe(MEMBER_TRAIL_BYTES);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE(leftBytes >>> 0, 4);

  const framed: Buffer[] = [MEMBER_HEADER];
  let roomInBlock = 0;
  const openBlock = () => {
    roomInBlock = Math.min(MAX_STORED_BYTES, leftBytes);
    const header = Buffer.allocUnsafe(BLOCK_HEADER_BYTES);
    writeBlockHeader(header, 0, roomInBlock, roomInBlock === leftBytes);
    framed.push(header);
  };
  if (leftBytes === 0) openBlock();
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      if (roomInBlock === 0) openBlock();
      const take = Math.min(roomInBlock, piece.length - at);
      framed.push(piece.subarray(at, at + take));
      at += take;
      roomInBlock -= take;
      leftBytes -= take;
    }
  }
  framed.push(trailer);
  return framed;
}

function writeBlockHeader(buffer: Buffer, at: number, dataBytes: number, last: boolean): void {
  buffer[at] = last ? 1 : 0;
  buffer.writeUInt16LE(dataBytes, at + 1);
  buffer.writeUInt16LE(~dataBytes & 0xffff, at + 3);
}
