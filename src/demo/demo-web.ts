/**
 * The demo web: three small sites that are part of the project, served on loopback until `close` is called. In:
 * nothing, or the URLs of an earlier start, to serve the same URLs again. Out: the URLs to start from.
 *
 * What always holds: the pages are the same at every start, except for the port numbers in them. No link leads out of
 * the three sites. `close` ends everything at once.
 *
 * It has about three hundred pages and typical difficulties for a crawler, which guide.ts, shop.ts and gazette.ts list.
 */
import type { AddressInfo } from 'node:net';
import { buildGazette } from './gazette.ts';
import { buildGuide } from './guide.ts';
import { type SiteServer, siteServer } from './serve.ts';
import { buildShop } from './shop.ts';

export interface DemoWeb {
  /** The front pages of the guide, the shop and the gazette. */
  readonly seeds: readonly string[];
  close(): Promise<void>;
}

const FIRST_ADDRESS = '127.0.0.1';

/** Throws if an address of an earlier start cannot be used. */
export async function startDemoWeb(earlier: readonly string[] = []): Promise<DemoWeb> {
  const servers = [siteServer(), siteServer(), siteServer()] as const;
  const [first, second, third] = servers;
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(stop));
  };
  try {
    const guide = await start(first, FIRST_ADDRESS, earlier[0]);
    const shop = await start(second, '127.0.0.2', earlier[1]);
    const gazette = await start(third, '127.0.0.3', earlier[2]);
    const origins = { guide, shop, gazette };
    first.site = buildGuide(origins);
    second.site = buildShop(origins);
    third.site = buildGazette(origins);
    return { seeds: [`${guide}/`, `${shop}/`, `${gazette}/`], close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** If there is only one loopback address, another port makes another host. */
async function start(holder: SiteServer, address: string, earlier?: string): Promise<string> {
  if (earlier !== undefined) {
    const { hostname, port } = new URL(earlier);
    return listen(holder, hostname, Number(port));
  }
  try {
    return await listen(holder, address);
  } catch (error) {
    if (address === FIRST_ADDRESS) throw error;
    return listen(holder, FIRST_ADDRESS);
  }
}

function listen({ server }: SiteServer, address: string, port = 0): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      server.off('error', reject);
      resolve(`http://${address}:${(server.address() as AddressInfo).port}`);
    });
  });
}

function stop({ server }: SiteServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
