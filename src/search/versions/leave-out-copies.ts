/**
 * Leaves out versions that say what another version says. In: versions of many URLs. Out: those that a search shows.
 *
 * Whether a page was a duplicate in the past is not stored. Two rules decide: of URLs with the same bytes at the same
 * time, one is shown, and rather one that is no duplicate today; and a URL whose canonical link is believed today is
 * shown only while the canonical page had no content.
 */
import type { FoundVersion } from './version-table.ts';

export function leaveOutCopies(versions: readonly FoundVersion[]): FoundVersion[] {
  const byUrl = Map.groupBy(versions, ({ urlId }) => urlId);
  const byBody = Map.groupBy(versions, ({ body }) => body);
  const hidden = new Set<FoundVersion>();
  for (const version of versions) {
    const { canonicalId } = version;
    if (canonicalId !== 0 && byUrl.get(canonicalId)?.some((other) => overlap(version, other))) hidden.add(version);
  }
  for (const equal of byBody.values()) {
    if (equal.length > 1) hideEqual(equal, hidden);
  }
  return hidden.size === 0 ? [...versions] : versions.filter((version) => !hidden.has(version));
}

function hideEqual(equal: FoundVersion[], hidden: Set<FoundVersion>): void {
  equal.sort((a, b) => Number(a.isCopy) - Number(b.isCopy) || a.urlId - b.urlId || a.fromMs - b.fromMs);
  const shown: FoundVersion[] = [];
  for (const version of equal) {
    if (hidden.has(version)) continue;
    if (shown.some((other) => other.urlId !== version.urlId && overlap(other, version))) hidden.add(version);
    else shown.push(version);
  }
}

function overlap(a: FoundVersion, b: FoundVersion): boolean {
  return a.fromMs < b.untilMs && b.fromMs < a.untilMs;
}
