/** Reads all rows in ascending order of id, `limit` at a time: there may be millions of them. */
export async function* inBatches<Row extends { readonly id: number }>(
  read: (after: number, limit: number) => Promise<readonly Row[]>,
  limit: number,
): AsyncGenerator<readonly Row[], void, void> {
  for (let after = 0; ; ) {
    const rows = await read(after, limit);
    yield rows;
    if (rows.length < limit) return;
    after = rows.at(-1)!.id;
  }
}
