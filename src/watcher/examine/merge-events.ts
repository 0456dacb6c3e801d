/**
 * Similar events as one (W5): the same target and value, whatever element and event lead there, so that a crawler triggers one of
 * them. In the order in which they are found, and bounded.
 */
import { detached } from '../../core/detached.ts';
import type { DynamicEvent, EventName } from '../records.ts';

export const MAX_ENTRIES = 200;
export const MAX_ENTRY_BYTES = 16 * 1024;
const MAX_SOURCES = 50;
/** Quotes, commas and the names of the fields of an entry in a report. */
const ENTRY_OVERHEAD_BYTES = 60;
const NAME_OVERHEAD_BYTES = 3;

export class MergedEvents {
  readonly #entries = new Map<string, { events: EventName[]; sources: string[]; target: string; value: string }>();
  #bytesLeft = MAX_ENTRY_BYTES;

  /** `source`: '' where the element is not to be seen. */
  add(event: EventName, source: string, target: string, value: string): void {
    const key = `${target}\n${value}`;
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      if (this.#entries.size >= MAX_ENTRIES || !this.#fits(`${key}${event}`, ENTRY_OVERHEAD_BYTES)) return;
      entry = { events: [event], sources: [], target, value };
      this.#entries.set(key, entry);
    } else if (!entry.events.includes(event)) {
      if (!this.#fits(event, NAME_OVERHEAD_BYTES)) return;
      entry.events.push(event);
    }
    if (source === '' || entry.sources.length >= MAX_SOURCES || entry.sources.includes(source)) return;
    if (this.#fits(source, NAME_OVERHEAD_BYTES)) entry.sources.push(source);
  }

  /** Copies, which do not hold on to the page. */
  all(): DynamicEvent[] {
    return [...this.#entries.values()].map(({ events, sources, target, value }) => ({
      events,
      sources: sources.map(detached),
      target: detached(target),
      value: detached(value),
    }));
  }

  #fits(text: string, overhead: number): boolean {
    const bytes = Buffer.byteLength(text) + overhead;
    if (bytes > this.#bytesLeft) return false;
    this.#bytesLeft -= bytes;
    return true;
  }
}
