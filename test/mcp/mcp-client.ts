/** Starts `orbweaver mcp` as a client program does, and speaks to it with the official SDK or line by line. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { MAIN } from '../setup/built-program.ts';

export interface Answer {
  readonly text: string;
  // The fields differ from tool to tool, and each test asserts those that it needs.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly data: any;
  readonly isError: boolean;
}

export class ModelClient {
  readonly client: Client;
  readonly #transport: StdioClientTransport;

  private constructor(client: Client, transport: StdioClientTransport) {
    this.client = client;
    this.#transport = transport;
  }

  static async start(
    words: readonly string[],
    mode: 'legacy' | 'auto' = 'auto',
    env: Readonly<Record<string, string>> = {},
  ): Promise<ModelClient> {
    const args = [MAIN, 'mcp', ...words];
    const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore', env });
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(transport);
    return new ModelClient(client, transport);
  }

  get pid(): number {
    return this.#transport.pid!;
  }

  async call(name: string, args: Record<string, unknown> = {}, options = {}): Promise<Answer> {
    const result = await this.client.callTool({ name, arguments: args }, options);
    const [first] = result.content;
    const text = first?.type === 'text' ? first.text : '';
    return { text, data: result.structuredContent, isError: result.isError === true };
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: messages of a protocol under test
type Wire = any;

/** A client that may send anything. */
export class LineClient {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: AsyncIterator<string>;
  stderr = '';

  constructor(words: readonly string[]) {
    this.child = spawn(process.execPath, [MAIN, 'mcp', ...words], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.child.stderr.on('data', (data: Buffer) => {
      this.stderr += data.toString();
    });
    this.#lines = createInterface(this.child.stdout)[Symbol.asyncIterator]();
  }

  send(message: Wire): void {
    this.sendLine(JSON.stringify(message));
  }

  sendLine(line: string | Buffer): void {
    this.child.stdin.write(line);
    this.child.stdin.write('\n');
  }

  /** The next message; null at the end. Every line of stdout must be one. */
  async next(): Promise<Wire> {
    const { value, done } = await this.#lines.next();
    return done ? null : JSON.parse(value);
  }

  async ask(message: Wire): Promise<Wire> {
    this.send({ jsonrpc: '2.0', ...message });
    return this.next();
  }

  async initialize(protocolVersion = '2025-11-25'): Promise<Wire> {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const answer = await this.ask({ id: 'begin', method: 'initialize', params });
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return answer;
  }

  /** Closes the input, and returns the exit code. */
  async end(): Promise<number | null> {
    const exited = once(this.child, 'close');
    this.child.stdin.end();
    const [code] = await exited;
    return code as number | null;
  }
}
