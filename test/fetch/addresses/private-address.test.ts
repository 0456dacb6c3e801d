import assert from 'node:assert/strict';
import { type AddressInfo, createServer, isIP } from 'node:net';
import { after, before, test } from 'node:test';
import { systemClock } from '../../../src/core/clock.ts';
import { DnsCache } from '../../../src/fetch/addresses/dns-cache.ts';
import { GuardedLookup, type Lookup } from '../../../src/fetch/addresses/guarded-lookup.ts';
import { addressClass } from '../../../src/fetch/addresses/private-address.ts';
import { NOTHING_PRIVATE, PrivateJudge } from '../../../src/fetch/addresses/private-rule.ts';
import { Fetcher } from '../../../src/fetch/fetcher.ts';
import { createConnector } from '../../../src/fetch/transport/connector.ts';
import { type LocalWeb, reply, startWeb } from '../../../testbed/web/local-web.ts';

const PUBLIC = `1.1.1.1 8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.0.1.1 198.17.255.255
  198.20.0.1 223.255.255.255 11.0.0.1 169.253.1.1 192.167.1.1 2606:4700:4700::1111 2a00:1450:4001:81b::200e
  [2606:4700::1] 2001:200::1 64:ff9b::8.8.8.8 64:ff9b::808:808 2002:808:808::1`;

const NOT_PUBLIC = `0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254
  169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255
  198.51.100.1 203.0.113.1 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255
  :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:7f00:1 ::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b::a00:1 64:ff9b:1::1
  100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:db8::1 2001:10::1 2002:7f00:1::1 2002:a00:1::
  2002:c0a8:101::1 3fff::1 5f00::1 fc00::1 fd12:3456::1 fe80::1 fe80::1%eth0 febf::1 fec0::1 ff02::1 [::1]
  localhost example.org 1.2.3 0x7f.1 2130706433 1.2.3.4.5 256.1.1.1 :::`;

test('public addresses are public', () => {
  for (const ip of PUBLIC.split(/\s+/)) assert.equal(addressClass(ip), 'public', ip);
});

test('special-purpose addresses and invalid addresses are not public', () => {
  for (const ip of NOT_PUBLIC.split(/\s+/)) assert.notEqual(addressClass(ip), 'public', ip);
});

const MUST_BE_NAMED = `169.254.0.1 169.254.169.254 100.100.100.200 168.63.129.16 192.0.0.192 fe80::1 fe80::1%eth0 febf::1
  fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fd00:c1::a9fe:a9fe fd00:42::42 ::ffff:169.254.169.254 ::ffff:a9fe:a9fe
  ::169.254.169.254 64:ff9b::169.254.169.254 64:ff9b::6464:64c8 64:ff9b:1::1 64:ff9b:1:a9fe:a9:fe00:: 2002:a9fe:a9fe::1
  2001:0:4136:e378:8000:63bf:5601:5601`;

const ONLY_PRIVATE = `10.0.0.1 100.64.0.1 100.100.100.201 127.0.0.1 172.16.0.1 192.0.0.1 192.168.1.1 fd00::1 fd00:ec1::254
  fd20:ce::253 ::1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::8.8.8.8 64:ff9b::10.0.0.1 2002:a00:1::1 2001:0:4136:e378:8000:63bf:f5ff:fffe`;

test('link-local addresses and metadata services must be allowed by name, in every spelling', () => {
  for (const ip of MUST_BE_NAMED.split(/\s+/)) assert.equal(addressClass(ip), 'must-be-named', ip);
  for (const ip of ONLY_PRIVATE.split(/\s+/)) assert.equal(addressClass(ip), 'private', ip);
});

test('a network allows no address of the other family, and a mapped address counts as IPv4', () => {
  const allows = (entry: string, address: string) =>
    new PrivateJudge({ ...NOTHING_PRIVATE, allowedPrivate: [entry] }).allows('http://a.test', address);
  assert.ok(!allows('::/0', '10.0.0.1'));
  assert.ok(!allows('0.0.0.0/0', 'fd00::1'));
  assert.ok(allows('::/0', 'fd00::1'));
  assert.ok(allows('10.0.0.0/8', '::ffff:10.0.0.1'));
  assert.ok(allows('::ffff:10.0.0.0/104', '10.0.0.1'));
  assert.ok(!allows('::ffff:10.0.0.0/104', '192.168.0.1'));
  // A NAT64 address that leads to 10.0.0.1 is a different address, and the crawler cannot judge the route to it.
  assert.ok(!allows('10.0.0.0/8', '64:ff9b::10.0.0.1'));
  assert.ok(allows('64:ff9b::/96', '64:ff9b::10.0.0.1'));
  // The system treats the unspecified address as its own address.
  assert.ok(allows('0.0.0.0', '127.0.0.1') && allows('::', '::1') && !allows('0.0.0.0', '127.0.0.2'));
});

let web: LocalWeb;
before(async () => {
  web = await startWeb();
  web.on('/', reply('secret'));
});
after(() => web.close());

test('literal addresses in every spelling are refused before a connection is made', async () => {
  const port = new URL(web.origin).port;
  const fetcher = new Fetcher({}, systemClock);
  for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '0177.0.0.1', '127.1', '[::ffff:127.0.0.1]', '0']) {
    const outcome = await fetcher.fetch(`http://${host}:${port}/`);
    assert.equal(outcome.reason, 'private-address', host);
    assert.equal(outcome.status, 0);
  }
  assert.equal(web.accepted, 0);
  await fetcher.close();
});

test('a name that resolves to a private address is refused', async () => {
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  const fetcher = new Fetcher({ dns: { resolve } }, systemClock);
  const port = new URL(web.origin).port;
  assert.equal((await fetcher.fetch(`http://innocent.example.org:${port}/`)).reason, 'private-address');
  assert.equal(web.accepted, 0);
  await fetcher.close();
});

test('a name whose address changes is resolved once, for the check and the connection together', async () => {
  let asked = 0;
  const resolve = async () => [{ address: asked++ === 0 ? '192.0.2.1' : '127.0.0.1', family: 4 }];
  const fetcher = new Fetcher({ dns: { resolve } }, systemClock);
  const port = new URL(web.origin).port;
  assert.equal((await fetcher.fetch(`http://rebinding.example.org:${port}/`)).reason, 'private-address');
  assert.equal(asked, 1);
  assert.equal(web.accepted, 0);
  await fetcher.close();
});

test('a redirect into the private network is refused', async () => {
  const fetcher = new Fetcher({ allowedPrivateHosts: [web.origin] }, systemClock);
  const hop = await fetcher.fetch(web.bad('RedirectToPrivate'));
  assert.equal(hop.redirectTo, 'http://169.254.169.254/latest/meta-data/');
  assert.equal((await fetcher.fetch(hop.redirectTo)).reason, 'private-address');
  await fetcher.close();
});

test('an allowed origin does not allow another port of the same address', async () => {
  const neighbour = await startWeb();
  const fetcher = new Fetcher({ allowedPrivateHosts: [web.origin] }, systemClock);
  assert.equal((await fetcher.fetch(web.url('/'))).status, 200);
  assert.equal((await fetcher.fetch(neighbour.url('/'))).reason, 'private-address');
  assert.equal(neighbour.accepted, 0);
  await fetcher.close();
  await neighbour.close();
});

test('if a name has a public and a private address, only the public one is tried', async () => {
  const tried: string[] = [];
  const resolve = async () => ['127.0.0.1', '8.8.4.4', '::1'].map((address) => ({ address, family: isIP(address) }));
  const guard = new GuardedLookup(new DnsCache(systemClock, { resolve }), new PrivateJudge(NOTHING_PRIVATE));
  const lookup = guard.lookupFor('http://mixed.test');
  await new Promise<void>((done) =>
    lookup('mixed.test', { all: true }, (_, addresses) => {
      tried.push(...(addresses as { address: string }[]).map(({ address }) => address));
      done();
    }),
  );
  assert.deepEqual(tried, ['8.8.4.4']);
});

/** Simulates a failed check before the connection: every name resolves to this machine, whatever the check decided. */
const misled: Lookup = (_hostname, options, callback) =>
  options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4);

test('the connected address is checked again before a byte is sent', async (t) => {
  let bytes = 0;
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    socket.on('data', (piece) => {
      bytes += piece.length;
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  t.mock.method(GuardedLookup.prototype, 'lookupFor', () => misled);
  const { port } = server.address() as AddressInfo;
  const fetcher = new Fetcher({}, systemClock);
  for (const scheme of ['http', 'https']) {
    assert.equal((await fetcher.fetch(`${scheme}://misled.test:${port}/`)).reason, 'private-address', scheme);
  }
  await fetcher.close();
  assert.deepEqual([accepted, bytes], [2, 0]);
  const allowing = new Fetcher({ allowedPrivate: ['misled.test'], totalTimeoutMs: 300 }, systemClock);
  await allowing.fetch(`http://misled.test:${port}/`);
  await allowing.close();
  assert.ok(bytes > 0, 'the same server is asked where the name is allowed');
});

test('the address of a further connection for HTTP/2 is checked, too', async (t) => {
  t.mock.method(GuardedLookup.prototype, 'lookupFor', () => misled);
  const { port } = new URL(web.origin);
  const connectTo = (allowedPrivate: string[]) => {
    const judge = new PrivateJudge({ ...NOTHING_PRIVATE, allowedPrivate });
    const guard = new GuardedLookup(new DnsCache(systemClock), judge);
    const options = { connectTimeoutMs: 1_000, allowH2: true, rejectUnauthorized: false };
    const connect = createConnector(`http://misled.test:${port}`, guard, options);
    const target = { hostname: 'misled.test', host: `misled.test:${port}`, protocol: 'http:', port };
    return new Promise<string>((resolve) =>
      connect(target, (error, socket) => {
        socket?.destroy();
        resolve(error === null ? 'connected' : String((error as NodeJS.ErrnoException).code));
      }),
    );
  };
  assert.equal(await connectTo([]), 'ORB_PRIVATE_ADDRESS');
  assert.equal(await connectTo(['127.0.0.1']), 'connected');
});

test('"allow" lets everything through', async () => {
  const fetcher = new Fetcher({ privateAddresses: 'allow' }, systemClock);
  assert.equal((await fetcher.fetch(web.url('/'))).status, 200);
  await fetcher.close();
});
