/**
 * Visitors that attack a watcher. They are a separate program, so that their cost is not counted as a cost of the
 * watcher or the crawlers. In: the port of the watcher, and the number of visitors. Out: on stdout, after SIGTERM, how
 * often each kind asked and was answered.
 *
 * Half of the visitors share one address, 127.0.0.2. Each of the others has its own address from 127.0.0.3 on. Every
 * visitor limits its rate, so that the tested machine can still do other work.
 */
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const REPORT = '/.well-known/orbweaver-report';
const SITEMAP = '/.well-known/orbweaver-sitemap-1.xml';

interface Visitor {
  readonly number: number;
  readonly address: string;
}

/** One step of a visitor. Returns the length of the pause after it. */
type Strategy = (visitor: Visitor) => Promise<number>;

const [port, count] = process.argv.slice(2).map(Number) as [number, number];
const counts: Record<string, { asked: number; statuses: Record<string, number> }> = {};
const sockets = new Set<Socket>();

function ask({ address }: Visitor, path: string, isDiscarded = true): Promise<{ status: number; body: string }> {
  return new Promise((resolve) => {
    const failed = () => resolve({ status: 0, body: '' });
    const options = { host: '127.0.0.1', port, path, localAddress: address, agent: false, timeout: 10_000 };
    const asked = request(options, (response) => {
      let body = '';
      if (isDiscarded) response.resume();
      else response.setEncoding('utf8').on('data', (text: string) => (body = (body + text).slice(0, 10_000)));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', failed);
      response.on('close', failed);
    });
    asked.on('error', failed);
    asked.on('timeout', () => asked.destroy());
    asked.end();
  });
}

function open({ address }: Visitor, onOpen: (socket: Socket) => void): void {
  const socket = connect({ host: '127.0.0.1', port, localAddress: address });
  sockets.add(socket);
  socket.on('connect', () => onOpen(socket));
  socket.on('error', () => undefined);
  socket.on('close', () => sockets.delete(socket));
}

let made = 0;

const STRATEGIES: Readonly<Record<string, Strategy>> = {
  /** Takes the lease for the longest possible time and never releases it. */
  async take(visitor) {
    note('take', await ask(visitor, `${REPORT}?take=evil-${visitor.number}&for=999999999&limit=0`));
    return 200;
  },
  /** Takes and releases the lease in a loop: each turn is written to the disk. */
  async circle(visitor) {
    const { status, body } = await ask(visitor, `${REPORT}?take=circle-${visitor.number}&for=60&limit=0`, false);
    note('circle', { status });
    const [, token] = /"token":"([^"]+)"/.exec(body) ?? [];
    if (token !== undefined) note('circle', await ask(visitor, `${REPORT}?release=${token}`));
    return 100;
  },
  /** Each request differs, so that the watcher must build a new report. */
  async questions(visitor) {
    const limit = 1 + (made++ % 9_999);
    const since = made % 2 === 0 ? '' : `&since=x.${made}`;
    note('questions', await ask(visitor, `${REPORT}?limit=${limit}${since}`));
    return 50;
  },
  async sitemap(visitor) {
    note('sitemap', await ask(visitor, SITEMAP));
    return 200;
  },
  /** Requests everything and reads nothing. */
  async 'slow reader'(visitor) {
    open(visitor, (socket) => {
      socket.pause();
      socket.write(`GET ${REPORT}?limit=${9_000 + (made++ % 999)} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(8));
      note('slow reader', { status: 0 });
    });
    return 500;
  },
  /** Opens connections and never finishes a request. */
  async 'slow head'(visitor) {
    for (let i = 0; i < 20; i++) {
      open(visitor, (socket) => {
        socket.write('GET / HTTP/1.1\r\nX-A: ');
        const timer = setInterval(() => socket.write('b'), 2_000);
        socket.on('close', () => clearInterval(timer));
        note('slow head', { status: 0 });
      });
    }
    return 2_000;
  },
  /** Sends odd, huge or guessed requests, or data that is not HTTP. */
  async odd(visitor) {
    const odd = [
      `${REPORT}?release=${'A'.repeat(22)}`,
      `${REPORT}?take=a&token=${'A'.repeat(22)}`,
      `${REPORT}?${'since=x&'.repeat(500)}`,
      `${REPORT}?since=${'x'.repeat(7_000)}`,
      `${REPORT}?take=..%2f..%2fetc&for=-1`,
      `${REPORT}?limit=1e9`,
    ];
    note('odd', await ask(visitor, odd[made++ % odd.length]!));
    open(visitor, (socket) => socket.end('\0\r\n\r\nHELO\r\n\r\n'));
    return 200;
  },
};

function note(kind: string, { status }: { readonly status: number }): void {
  counts[kind] ??= { asked: 0, statuses: {} };
  counts[kind].asked++;
  counts[kind].statuses[status] = (counts[kind].statuses[status] ?? 0) + 1;
}

/** The strategies of ten visitors. */
const MIX = ['take', 'take', 'take', 'take', 'circle', 'questions', 'questions', 'slow reader', 'slow head', 'odd'];

async function visit(visitor: Visitor): Promise<void> {
  const kind = visitor.number % 25 === 24 ? 'sitemap' : MIX[visitor.number % MIX.length]!;
  for (;;) await sleep(await STRATEGIES[kind]!(visitor));
}

for (let number = 0; number < count; number++) {
  const address = number % 2 === 0 ? '127.0.0.2' : `127.0.0.${3 + (((number - 1) / 2) % 250)}`;
  void visit({ number, address });
}
process.on('SIGTERM', () => {
  for (const socket of sockets) socket.destroy();
  process.stdout.write(`${JSON.stringify(counts)}\n`, () => process.exit(0));
});
process.stdout.write('ready\n');
