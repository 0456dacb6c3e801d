import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedSites, readConfig, resolveWatch, watchOptionsFromEnvironment } from '../../src/watcher/watch-settings.ts';
import { cpuShare, listenAddress, listenText, maxLoad, rushHours } from '../../src/watcher/watch-values.ts';

const SITE = 'https://www.example.org';

test('a folder and a URL define a site, with defaults for all other options', () => {
  const { sites, every, cpu, listen } = resolveWatch([], namedSites(['/srv/www'], `${SITE}/`, []));
  assert.deepEqual([every, cpu, listen], [60_000, 0.01, '127.0.0.1:8970']);
  assert.equal(sites.length, 1);
  assert.deepEqual(sites[0]!.roots, [{ folder: '/srv/www', prefix: '/' }]);
  assert.deepEqual([sites[0]!.site, sites[0]!.path, sites[0]!.writeFiles], [SITE, '/', false]);
});

test('W8 several sites and several folders of one site are possible, each at the path of its URL', () => {
  const named = namedSites(['/srv/www'], SITE, [`${SITE}/docs=/srv/docs`, 'http://b.example:8080/=/srv/b=c']);
  const { sites } = resolveWatch([], named);
  assert.deepEqual(
    sites.map(({ site, path, roots }) => [site, path, roots.map(({ folder, prefix }) => `${prefix}=${folder}`)]),
    [
      [SITE, '/', ['/=/srv/www', '/docs/=/srv/docs']],
      ['http://b.example:8080', '/', ['/=/srv/b=c']],
    ],
  );
});

test('names are given one by one or with commas, and http and https of one host are refused as two sites', () => {
  const given = { index: ['home.html, index.html', 'a.htm'], dropExtension: ['.html'] };
  const { sites } = resolveWatch([{ from: 'command line', given }], namedSites(['/a'], SITE, []));
  assert.deepEqual([sites[0]!.index, sites[0]!.dropExtension], [['home.html', 'index.html', 'a.htm'], ['.html']]);
  const both = namedSites(['/a'], SITE, [`${SITE.replace('https', 'http')}=/b`]);
  assert.throws(() => resolveWatch([], both), { code: 'ERR_BAD_OPTION', message: /same host/ });
});

test('the message names a missing or repeated setting and says what to write', () => {
  assert.throws(() => resolveWatch([], []), { code: 'ERR_USAGE', message: /--url/ });
  assert.throws(() => namedSites(['/srv/www'], undefined, []), { code: 'ERR_USAGE', message: /--url https:/ });
  assert.throws(() => namedSites([], SITE, []), { code: 'ERR_USAGE', message: /has no folder/ });
  assert.throws(() => namedSites(['/a', '/b'], SITE, []), { code: 'ERR_USAGE', message: /--site/ });
  assert.throws(() => namedSites([], undefined, ['/srv/www']), { code: 'ERR_BAD_OPTION', message: /<url>=<folder>/ });
  assert.throws(() => namedSites(['/a'], 'ftp://x/', []), { code: 'ERR_BAD_URL' });
  const twice = namedSites(['/a'], SITE, [`${SITE}=/b`]);
  assert.throws(() => resolveWatch([], twice), { code: 'ERR_BAD_OPTION', message: /two folders/ });
});

test('W7 two sites with the same log are refused, because one take would give both leases', () => {
  const resolved = (first: string, second: string) => {
    const sites = [
      { url: 'https://a.example/', root: '/srv/a', 'access-log': first },
      { url: 'https://b.example/', root: '/srv/b', 'access-log': second },
    ];
    return resolveWatch([], readConfig({ sites }, 'w.json').sites);
  };
  const refused = {
    code: 'ERR_BAD_OPTION',
    message: /^--access-log .* https:\/\/a\.example and of https:\/\/b\.example/,
  };
  assert.throws(() => resolved('/var/log/access.log', '/var/log/../log/access.log'), refused);
  assert.deepEqual(
    resolved('/var/log/a.log', '/var/log/b.log').sites.map(({ accessLog }) => accessLog),
    ['/var/log/a.log', '/var/log/b.log'],
  );
  const given = [{ from: 'command line', given: { accessLog: '/var/log/access.log' } }];
  assert.throws(
    () => resolveWatch(given, namedSites([], undefined, ['https://a.example=/a', 'https://b.example=/b'])),
    refused,
  );
  // Several folders of one site are one site.
  assert.equal(resolveWatch(given, namedSites(['/a'], SITE, [`${SITE}/docs=/b`])).sites.length, 1);
});

test('a configuration has options for all sites and for single sites, and flags override both', () => {
  const config = readConfig(
    {
      cpu: '2%',
      'lease-longest': '10m',
      sites: [
        { url: SITE, root: '/srv/www', roots: { '/docs': '/srv/docs' }, 'lease-longest': '20m', events: false },
        { url: 'https://b.example/', root: '/srv/b' },
      ],
    },
    'watcher.json',
  );
  const sources = [
    { from: 'command line', given: { events: true } },
    { from: 'configuration file', given: config.options },
  ];
  const { sites, cpu } = resolveWatch(sources, config.sites);
  assert.equal(cpu, 0.02);
  assert.deepEqual(
    sites.map(({ leaseLongest, events }) => [leaseLongest, events]),
    [
      [1_200_000, true],
      [600_000, true],
    ],
  );
  assert.deepEqual(sites[0]!.roots.at(-1), { folder: '/srv/docs', prefix: '/docs/' });
});

test('a misspelt key is refused with the right key, and an invalid configuration is refused by name', () => {
  const site = { url: SITE, root: '/srv/www' };
  assert.throws(() => readConfig({ ...site, everi: '1s' }, 'x.json'), {
    code: 'ERR_UNKNOWN_OPTION',
    message: /unknown option "everi"; did you mean every\?/,
  });
  assert.throws(() => readConfig({ sites: [{ ...site, listen: 'off' }] }, 'x.json'), { code: 'ERR_UNKNOWN_OPTION' });
  assert.throws(() => readConfig({ sites: [{ root: '/srv' }] }, 'x.json'), { code: 'ERR_CONFIG', message: /"url"/ });
  for (const wrong of [[], null, 7, { sites: {} }, { ...site, root: 7 }, { ...site, roots: { docs: '/srv' } }]) {
    assert.throws(() => readConfig(wrong, 'x.json'), { code: 'ERR_CONFIG' });
  }
  assert.throws(() => resolveWatch([{ from: 'x', given: { every: 'soon' } }], namedSites(['/a'], SITE, [])), {
    code: 'ERR_BAD_OPTION',
    message: /--every needs a time/,
  });
});

test('environment variables have the same names as flags', () => {
  const env = { ORBWEAVER_WATCHER_MAX_LOAD: '1.5', ORBWEAVER_LIMIT: '3', HOME: '/x' };
  assert.deepEqual(watchOptionsFromEnvironment(env), { maxLoad: '1.5' });
  assert.throws(() => watchOptionsFromEnvironment({ ORBWEAVER_WATCHER_CPUS: '1' }), /did you mean cpu\?/);
});

test('listen addresses are parsed, and invalid ones are refused', () => {
  assert.deepEqual(listenAddress('8970'), { kind: 'tcp', host: '127.0.0.1', port: 8970 });
  assert.deepEqual(listenAddress('0.0.0.0:80'), { kind: 'tcp', host: '0.0.0.0', port: 80 });
  assert.deepEqual(listenAddress('[::1]:80'), { kind: 'tcp', host: '::1', port: 80 });
  assert.deepEqual(listenAddress('unix:/run/w.sock'), { kind: 'unix', path: '/run/w.sock' });
  assert.equal(listenText(false), 'off');
  for (const wrong of ['', 'x', ':80', '70000', 'http://a:80', 'unix:', `unix:/${'a'.repeat(120)}`]) {
    assert.throws(() => listenText(wrong), /host:port/, wrong);
  }
});

test('W9 rush hours are parsed, also across midnight', () => {
  const spans = [
    { from: 480, to: 630 },
    { from: 1_320, to: 360 },
  ];
  assert.deepEqual(rushHours('08:00-10:30, 22:00-6:00'), { spans });
  assert.deepEqual(rushHours(['08:00-10:30', '22:00-6:00']), { spans });
  for (const wrong of ['8-10', '08:00', '08:60-09:00', '25:00-26:00', '08:00-08:00', '']) {
    assert.throws(() => rushHours(wrong), /08:00-10:00/, wrong);
  }
});

test('CPU shares and load averages are parsed, and invalid ones are refused', () => {
  assert.deepEqual([cpuShare('1%'), cpuShare(0.5), maxLoad('1.5')], [0.01, 0.5, 1.5]);
  for (const wrong of ['0', '0.01%', '200%', 'x']) assert.throws(() => cpuShare(wrong), /share/);
  for (const wrong of ['0', '-1', 'x', '']) assert.throws(() => maxLoad(wrong), /load average/);
});
