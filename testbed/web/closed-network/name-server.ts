/**
 * A real name server on UDP port 53, for the resolver of the system. In: a name, and the number of earlier questions
 * about it. Out: its addresses. A name without addresses does not exist.
 */
import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';
import { ipv6Groups } from '../../../src/fetch/addresses/private-address.ts';

/** `asked` is 0 for the first question about this name and family. */
export type Answering = (name: string, asked: number) => readonly string[];

const A = 1;
const AAAA = 28;
const NO_SUCH_NAME = 3;
const HEADER_BYTES = 12;

export class NameServer {
  /** The current source of answers. A new function starts with a fresh count. */
  #answering: Answering = () => [];
  readonly #asked = new Map<string, number>();
  readonly #socket = createSocket('udp4');

  static async start(address: string): Promise<NameServer> {
    const server = new NameServer();
    server.#socket.on('message', (query, from) => {
      const answer = server.#answer(query);
      if (answer !== null) server.#socket.send(answer, from.port, from.address);
    });
    await new Promise<void>((resolve) => server.#socket.bind(53, address, resolve));
    return server;
  }

  answerBy(answering: Answering): void {
    this.#answering = answering;
    this.#asked.clear();
  }

  close(): void {
    this.#socket.close();
  }

  #answer(query: Buffer): Buffer | null {
    const { name, end } = questionOf(query);
    const type = query.readUInt16BE(end - 4);
    const key = `${type} ${name}`;
    const asked = this.#asked.get(key) ?? 0;
    this.#asked.set(key, asked + 1);
    const addresses = this.#answering(name, asked);
    const wanted = addresses.filter((address) => (isIPv4(address) ? A : AAAA) === type);
    const header = Buffer.from(query.subarray(0, HEADER_BYTES));
    // The header of an authoritative answer (RFC 1035 §4.1.1).
    header.writeUInt16BE(0x8580 | (addresses.length === 0 ? NO_SUCH_NAME : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(wanted.length, 6);
    header.writeUInt32BE(0, 8);
    return Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...wanted.map(recordOf)]);
  }
}

function questionOf(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  while (query[at] !== 0) {
    const length = query[at]!;
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 5 };
}

/** A record that points back to the name in the question and may not be cached. */
function recordOf(address: string): Buffer {
  const data = isIPv4(address)
    ? Buffer.from(address.split('.').map(Number))
    : Buffer.from(ipv6Groups(address).flatMap((group) => [group >> 8, group & 255]));
  const head = Buffer.from([0xc0, HEADER_BYTES, 0, data.length === 4 ? A : AAAA, 0, 1, 0, 0, 0, 0, 0, data.length]);
  return Buffer.concat([head, data]);
}
