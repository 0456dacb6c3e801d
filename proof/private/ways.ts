/**
 * Every way in which the web or DNS can try to lead a public crawl to a private address. A way gets the targets and the
 * flags of the command, and leads Orbweaver to all targets. With flags that allow private addresses, each target must
 * be reached: otherwise a result of zero would prove nothing.
 */
import { type PrivateTarget, urlHostOf } from '../../testbed/web/closed-network/private-targets.ts';
import { PROXY, type Site } from '../../testbed/web/closed-network/wide-web.ts';
import { DEAD_PUBLIC, type Ended, type Lab, PUBLIC_V4, PUBLIC_V6 } from './lab.ts';

export interface Way {
  readonly name: string;
  /** A way of the cluster, which needs PostgreSQL. */
  readonly needsDatabase?: boolean;
  run(lab: Lab, targets: readonly PrivateTarget[], flags: readonly string[]): Promise<readonly Ended[]>;
}

const SEED = 'http://www.public.test/';
const PROXY_FLAGS = ['--proxy', `http://${PROXY.address}:${PROXY.port}`];

export const WAYS: readonly Way[] = [
  {
    name: 'link to a literal address (http and https)',
    async run(lab, targets, flags) {
      publicNames(lab);
      lab.web.site = linksOnSeed(targets.flatMap((one) => [`http://${urlHostOf(one)}/`, `https://${urlHostOf(one)}/`]));
      return [await lab.crawl(lab.newCopy(), [SEED, ...flags])];
    },
  },
  {
    name: 'redirect to a literal address, of a page',
    async run(lab, targets, flags) {
      publicNames(lab);
      const links = linksOnSeed(targets.map((_, i) => `/to/${i}`));
      lab.web.site = (host, path) => {
        const target = targets[Number(/^\/to\/(\d+)$/.exec(path)?.[1])];
        return target ? { redirectTo: `http://${urlHostOf(target)}/` } : links(host, path);
      };
      return [await lab.crawl(lab.newCopy(), [SEED, ...flags])];
    },
  },
  {
    name: 'redirect to a literal address, of a seed',
    async run(lab, targets, flags) {
      publicNames(lab);
      lab.web.site = (host, path) => {
        const target = path === '/' ? targets[numberOf(host)] : undefined;
        return target ? { redirectTo: `http://${urlHostOf(target)}/` } : page(host, path);
      };
      return [await lab.crawl(lab.newCopy(), [...seedsOf('moved', targets), ...flags])];
    },
  },
  {
    name: 'DNS: link to a name with only a private address',
    async run(lab, targets, flags) {
      lab.names.answerBy((name) => targetAddresses(name, targets) ?? [PUBLIC_V4]);
      lab.web.site = linksOnSeed(seedsOf('only', targets));
      return [await lab.crawl(lab.newCopy(), [SEED, ...flags])];
    },
  },
  {
    name: 'DNS mixed: a seed with a public and a private answer opens nothing else',
    async run(lab, targets, flags) {
      lab.names.answerBy((name) => targetAddresses(name, targets) ?? [PUBLIC_V4, '10.9.8.7']);
      lab.web.site = linksOnSeed([
        ...targets.map((one) => `http://${urlHostOf(one)}/`),
        ...targets.map((_, i) => `/to/${i}`),
        ...seedsOf('only', targets),
      ]);
      return [await lab.crawl(lab.newCopy(), [SEED, ...flags])];
    },
  },
  {
    name: 'DNS mixed: of a public answer that is dead and a private one, the private one is not tried',
    async run(lab, targets, flags) {
      lab.names.answerBy((name) => [DEAD_PUBLIC, ...(targetAddresses(name, targets) ?? [])]);
      lab.web.site = page;
      return [await lab.crawl(lab.newCopy(), [...seedsOf('mixed', targets), ...flags])];
    },
  },
  {
    name: 'DNS rebinding: public at the first question, private at every later one',
    async run(lab, targets, flags) {
      lab.names.answerBy((name, asked) => (asked === 0 ? [PUBLIC_V4, PUBLIC_V6] : targetAddresses(name, targets)!));
      lab.web.site = page;
      return [await lab.crawl(lab.newCopy(), [...seedsOf('rebind', targets), ...flags])];
    },
  },
  {
    name: 'DNS changed before a refresh',
    async run(lab, targets, flags) {
      const dir = lab.newCopy();
      publicNames(lab);
      lab.web.site = page;
      const first = await lab.crawl(dir, seedsOf('later', targets));
      lab.names.answerBy((name) => targetAddresses(name, targets) ?? []);
      const options = ['--patience', '0s', ...flags];
      return [first, await lab.orbweaver('refresh', '--dir', dir, ...options)];
    },
  },
  {
    name: 'DNS changed before an interrupted crawl goes on',
    async run(lab, targets, flags) {
      const dir = lab.newCopy();
      publicNames(lab);
      lab.web.site = (host, path) => (path === '/' ? { body: '<a href="/next">next</a>' } : page(host, path));
      // The limit leaves one page of every host waiting.
      const first = await lab.crawl(dir, [...seedsOf('going', targets), '--limit', String(targets.length)]);
      lab.names.answerBy((name) => targetAddresses(name, targets) ?? []);
      return [first, await lab.crawl(dir, [...flags, '--limit', '0'])];
    },
  },
  {
    name: 'robots.txt that redirects, and sitemaps that it names',
    async run(lab, targets, flags) {
      publicNames(lab);
      lab.web.site = (host, path) => {
        const target = targets[numberOf(host)];
        if (target === undefined) return page(host, path);
        if (path !== '/robots.txt') return page(host, path);
        const root = `http://${urlHostOf(target)}`;
        return host.startsWith('file')
          ? { redirectTo: `${root}/robots.txt` }
          : { body: `Sitemap: ${root}/sitemap.xml\n`, type: 'text/plain' };
      };
      return [await lab.crawl(lab.newCopy(), [...seedsOf('file', targets), ...seedsOf('map', targets), ...flags])];
    },
  },
  {
    name: 'images, scripts, frames, feeds and canonical links',
    async run(lab, targets, flags) {
      publicNames(lab);
      const marks = targets.map((one) => {
        const root = `http://${urlHostOf(one)}`;
        return `<img src="${root}/i.png"><script src="${root}/s.js"></script><iframe src="${root}/f"></iframe>
<link rel="alternate" type="application/rss+xml" href="${root}/feed"><link rel="canonical" href="${root}/c">`;
      });
      lab.web.site = (host, path) => (host === 'www.public.test' ? { body: marks.join('\n') } : page(host, path));
      return [await lab.crawl(lab.newCopy(), [SEED, '--assets', '--images', ...flags])];
    },
  },
  {
    name: 'proxy: literal addresses and names with a private answer',
    async run(lab, targets, flags) {
      lab.names.answerBy((name) => {
        const addresses = targetAddresses(name, targets);
        return addresses === null ? [PUBLIC_V4] : name.startsWith('mixed') ? [DEAD_PUBLIC, ...addresses] : addresses;
      });
      lab.web.site = linksOnSeed([
        ...targets.flatMap((one) => [`http://${urlHostOf(one)}/`, `https://${urlHostOf(one)}/`]),
        ...seedsOf('only', targets),
        ...seedsOf('mixed', targets),
      ]);
      return [await lab.crawl(lab.newCopy(), [SEED, ...PROXY_FLAGS, ...flags])];
    },
  },
  {
    name: 'cluster: DNS changed between the plan, the workers and a refresh',
    needsDatabase: true,
    async run(lab, targets, flags) {
      const { store } = lab.database!;
      const name = ['--store', store, '--name', `crawl${targets.length}x${flags.length}`];
      publicNames(lab);
      lab.web.site = (host, path) => (path === '/' ? { body: '<a href="/next">next</a>' } : page(host, path));
      const half = Math.ceil(targets.length / 2);
      const plan = async (from: number, to: number) =>
        lab.crawl(lab.newCopy(), [...seedsOf('node', targets).slice(from, to), ...name, '--plan', '--add', ...flags]);
      const ended = [await plan(0, half)];
      ended.push(await lab.orbweaver('work', ...name, '--dir', lab.newCopy()));
      ended.push(await plan(half, targets.length));
      lab.names.answerBy((host) => targetAddresses(host, targets) ?? []);
      ended.push(await lab.orbweaver('work', ...name, '--dir', lab.newCopy()));
      ended.push(await lab.orbweaver('refresh', ...name, '--dir', lab.newCopy(), '--patience', '0s'));
      return ended;
    },
  },
];

const page: Site = (host, path) => (path === '/robots.txt' ? undefined : { body: `<p>A page of ${host}${path}.</p>` });

function publicNames(lab: Lab): void {
  lab.names.answerBy(() => [PUBLIC_V4]);
}

function linksOnSeed(urls: readonly string[]): Site {
  const body = urls.map((url) => `<a href="${url}">link</a>`).join('\n');
  return (host, path) => (host === 'www.public.test' && path === '/' ? { body } : page(host, path));
}

/** Seeds such as `http://only17.public.test/`. The number selects the target. */
function seedsOf(word: string, targets: readonly PrivateTarget[]): string[] {
  return targets.map((_, i) => `http://${word}${i}.public.test/`);
}

function numberOf(host: string): number {
  return Number(/^[a-z]+(\d+)\./.exec(host)?.[1]);
}

function targetAddresses(name: string, targets: readonly PrivateTarget[]): string[] | null {
  const target = targets[numberOf(name)];
  return target ? [target.address] : null;
}
