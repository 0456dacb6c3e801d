/**
 * Leaves out versions that say what another version says. In: versions of many URLs. Out: those that a search shows.
 *
 * Whether a page was a duplicate in the past is not stored. Two rules decide: of URLs with the same bytes at the same
 * time, one is shown, and rather one that is no duplicate today; and a URL whose canonical link is believed today is
 * shown only while the canonical page had no content. If all versions are searched, the end of a version is the time
 * that counts.
 */
import type { FoundVersion } from './version-table.ts';

/** `atMs`: the time at which all these versions were current; null for versions of different times. */
export function leaveOutCopies(versions: readonly FoundVersion[], atMs: number | null): FoundVersion[] {
  const isThere = (other: FoundVersion, { untilMs }: FoundVersion): boolean => {
    const thenMs = atMs ?? untilMs - 1;
    return other.fromMs <= thenMs && other.untilMs > thenMs;
  };
  const byUrl = Map.groupBy(versions, ({ urlId }) => urlId);
  const hidden = new Set(
    versions.filter((version) => byUrl.get(version.canonicalId)?.some((other) => isThere(other, version))),
  );
  for (const equal of Map.groupBy(versions, ({ body }) => body).values()) {
    if (equal.length === 1) continue;
    equal.sort((a, b) => Number(a.isCopy) - Number(b.isCopy) || a.urlId - b.urlId || a.fromMs - b.fromMs);
    const shown: FoundVersion[] = [];
    for (const version of equal) {
      if (hidden.has(version)) continue;
      if (shown.some((other) => other.urlId !== version.urlId && isThere(other, version))) hidden.add(version);
      else shown.push(version);
    }
  }
  return versions.filter((version) => !hidden.has(version));
}
