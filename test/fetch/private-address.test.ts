import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { Fetcher } from '../../src/fetch/fetcher.ts';
import { isPublicAddress } from '../../src/fetch/private-address.ts';
import { type LocalWeb, reply, startWeb } from '../web/local-web.ts';

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
  for (const ip of PUBLIC.split(/\s+/)) assert.equal(isPublicAddress(ip), true, ip);
});

test('special-purpose addresses and what is no address are not', () => {
  for (const ip of NOT_PUBLIC.split(/\s+/)) assert.equal(isPublicAddress(ip), false, ip);
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

test('a name that leads to a private address is refused by what it resolves to', async () => {
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  const fetcher = new Fetcher({ dns: { resolve } }, systemClock);
  const port = new URL(web.origin).port;
  assert.equal((await fetcher.fetch(`http://innocent.example.org:${port}/`)).reason, 'private-address');
  assert.equal(web.accepted, 0);
  await fetcher.close();
});

test('a name with a new address on every question is asked once for check and connection', async () => {
  let asked = 0;
  const resolve = async () => [{ address: asked++ === 0 ? '192.0.2.1' : '127.0.0.1', family: 4 }];
  const fetcher = new Fetcher({ dns: { resolve } }, systemClock);
  const port = new URL(web.origin).port;
  assert.equal((await fetcher.fetch(`http://rebinding.example.org:${port}/`)).reason, 'private-address');
  assert.equal(asked, 1);
  assert.equal(web.accepted, 0);
  await fetcher.close();
});

test('a redirect into the private network is refused on its own hop', async () => {
  const fetcher = new Fetcher({ allowedPrivateHosts: [web.origin] }, systemClock);
  const hop = await fetcher.fetch(web.bad('RedirectToPrivate'));
  assert.equal(hop.redirectTo, 'http://169.254.169.254/latest/meta-data/');
  assert.equal((await fetcher.fetch(hop.redirectTo)).reason, 'private-address');
  await fetcher.close();
});

test('an allowed origin is exactly that one; another port of the same address is not', async () => {
  const neighbour = await startWeb();
  const fetcher = new Fetcher({ allowedPrivateHosts: [web.origin] }, systemClock);
  assert.equal((await fetcher.fetch(web.url('/'))).status, 200);
  assert.equal((await fetcher.fetch(neighbour.url('/'))).reason, 'private-address');
  assert.equal(neighbour.accepted, 0);
  await fetcher.close();
  await neighbour.close();
});

test('"allow" lets everything through', async () => {
  const fetcher = new Fetcher({ privateAddresses: 'allow' }, systemClock);
  assert.equal((await fetcher.fetch(web.url('/'))).status, 200);
  await fetcher.close();
});
