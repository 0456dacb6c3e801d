import type { Store } from '../../store/contract.ts';

/** The largest id of a URL there is, by bisection: workers take ids in chunks, so that no count tells. 0 where there is none. */
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
