import type { Store } from '../../store/contract.ts';

/** The largest id of a URL, by bisection: workers reserve ids in chunks, so no count gives it. 0 if there is none. */
export async function lastUrlId(store: Pick<Store, 'urls'>): Promise<number> {
  const isBeyond = async (id: number): Promise<boolean> => (await store.urls(id, 1)).length === 0;
  if (await isBeyond(0)) return 0;
  let below = 0;
  let beyond = 1_024;
  while (!(await isBeyond(beyond))) {
    below = beyond;
    beyond *= 2;
  }
  while (beyond - below > 1) {
    const middle = Math.floor((below + beyond) / 2);
    if (await isBeyond(middle)) beyond = middle;
    else below = middle;
  }
  return beyond;
}
