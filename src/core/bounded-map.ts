/** Limits the size of a map. A map keeps the order of insertion, so its first entry is the oldest. */
export function dropOldest<Key>(map: Map<Key, unknown>, most: number): void {
  if (map.size > most) map.delete(map.keys().next().value!);
}

/** Puts an entry behind all others, also if the map has the key already. */
export function putNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  dropOldest(map, most);
}
