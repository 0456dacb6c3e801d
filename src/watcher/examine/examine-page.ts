/**
 * Finds the events of a page (W4–W6), the targets of its links and the targets of its forms.
 *
 * In: the content of a page, its URL and its site. Out: plain data, with empty lists if the content is not HTML. What
 * always holds: no script is run; no input makes it throw; the time is linear in the content; the output is bounded
 * (200 entries and 16 KB of events, 10,000 links).
 */

import { detached } from '../../core/copy-text.ts';
import { CpuBudget } from '../../core/cpu-budget.ts';
import { decideReadAs } from '../../page/content-kind.ts';
import { openBody } from '../../page/encoding/charset.ts';
import { hostOf, pathOf } from '../../url/host.ts';
import { type LinkResolver, UrlNormalizer } from '../../url/normalize.ts';
import type { DynamicEvent, EventName } from '../records.ts';
import { type KnownElement, type Markup, readMarkup } from './read-markup.ts';
import { type Effect, effectOf } from './script-effects.ts';
import { type ElementReference, noteVariables, Variables } from './script-elements.ts';
import { noteFunctions, type ScriptFunction } from './script-functions.ts';
import { listenersOf, mayListen } from './script-listeners.ts';
import { ScriptTokens } from './script-tokens.ts';

export interface Examined {
  readonly events: readonly DynamicEvent[];
  /** URL paths on this site that the page links to, in document order. */
  readonly links: readonly string[];
  /** URL paths of forms that a person must fill in, without the paths that the page also links to. */
  readonly formTargets: readonly string[];
  /**
   * Whether the page is useless without filling in its form (W6): a login form with hardly any other content. A page
   * with a login form beside its content is an ordinary page, and content behind a login is never a public file.
   */
  readonly isLogIn: boolean;
  /** The scripts took more CPU time than one page may use, so some events are missing. */
  readonly isCut: boolean;
}

const MAX_EXAMINED_BYTES = 8 * 1024 * 1024;
const MAX_LINKS = 10_000;
/**
 * CPU limit for the scripts of one page. Scripts of ordinary pages take a few
 * milliseconds; a page made to be slow took 1.3 s.
 */
const EVENTS_CPU_MS = 500;
const MAX_FORM_TARGETS = 100;
/** A page with more text or more links than this has content besides its login form. */
const MAX_LOG_IN_TEXT_BYTES = 2_000;
const MAX_LOG_IN_LINKS = 20;
const NOTHING: Examined = Object.freeze({ events: [], links: [], formTargets: [], isLogIn: false, isCut: false });
const HTML_NAMES = /\.(?:html?|xhtml?|xht|shtml?|php\d?|phtml|aspx?|jspx?|cgi|pl|cfm|do)$/i;
const OTHER_NAMES =
  /\.(?:txt|pdf|xml|rss|atom|rdf|json|md|csv|css|m?js|wasm|svg|png|jpe?g|gif|webp|avif|ico|docx?|odt|xlsx?|ods|pptx?|odp|epub|rtf|ps|djvu)$/i;

const normalizer = new UrlNormalizer();

/**
 * `url`: the URL of the page, or its path on the site. `site`: scheme and authority. `file`: the file name, if there is
 * one. A server uses the file name to choose the type, and the URL of an index does not show it.
 */
export function examinePage(
  content: Buffer,
  url: string,
  site: string,
  file?: string,
  budget = new CpuBudget(EVENTS_CPU_MS),
): Examined {
  const address = url.startsWith('/') ? site + url : url;
  const name = file ?? pathOnly(address);
  if (!isHtml(content, address, name)) return NOTHING;
  const kept = content.length > MAX_EXAMINED_BYTES ? content.subarray(0, MAX_EXAMINED_BYTES) : content;
  const markup = readMarkup(openBody(kept, '', 'html').document, /\.xht(?:ml)?$/i.test(name));
  const links = linksOf(markup, address, site);
  const hasText = markup.textBytes > MAX_LOG_IN_TEXT_BYTES || links.length > MAX_LOG_IN_LINKS;
  const events = budget.run(() => eventsOf(markup, budget));
  return {
    events,
    links,
    formTargets: formTargetsOf(markup, address, site, links),
    isLogIn: markup.forms.hasPassword && !hasText,
    isCut: budget.isSpent(),
  };
}

function isHtml(content: Buffer, address: string, name: string): boolean {
  if (OTHER_NAMES.test(name)) return false;
  if (decideReadAs(content, HTML_NAMES.test(name) ? 'text/html' : '', address) === 'html') return true;
  // XHTML under a name without a known extension.
  return !HTML_NAMES.test(name) && /^[\s\ufeff]*<\?xml/.test(startOf(content)) && /<html[\s>]/i.test(startOf(content));
}

function startOf(content: Buffer): string {
  return content.toString('utf8', 0, 1_024);
}

function pathOnly(address: string): string {
  return pathOf(address).split('?', 1)[0]!;
}

/** Stops when the CPU budget is spent, and returns the events found so far. */
function eventsOf({ scripted, elements, forms }: Markup, budget: CpuBudget): DynamicEvent[] {
  const hasHandlers = scripted.some(({ kind }) => kind === 'handler');
  const scripts = new Map<string, ScriptTokens>();
  const functions = new Map<string, ScriptFunction>();
  const globals = new Variables();
  for (const { kind, code } of scripted) {
    if (kind !== 'script' || scripts.has(code) || !(hasHandlers || mayListen(code))) continue;
    if (budget.isSpent()) break;
    const script = new ScriptTokens(code);
    scripts.set(code, script);
    noteFunctions(script, functions);
    noteVariables(script, globals);
  }
  const merged = new MergedEvents();
  // Scripts before a handler are read first. A handler may run after all scripts of the page have run.
  const variables = new Variables(globals);
  for (const piece of scripted) {
    if (budget.isSpent()) break;
    if (piece.kind === 'handler') {
      const script = new ScriptTokens(piece.code);
      const body = { script, parameters: [], from: 0, to: script.count };
      const effect = effectOf(body, { elements: variables, texts: new Map() }, functions);
      if (effect === null || forms.needsPerson(piece.form) || submitsPerson(effect, piece.form)) continue;
      merged.add(piece.event, piece.source, ownTarget(effect.target, piece.source), effect.value);
      continue;
    }
    const script = scripts.get(piece.code);
    if (script === undefined) continue;
    for (const { event, element, effect } of listenersOf(script, functions, variables)) {
      const known = element.by === 'id' ? elements.get(element.text) : undefined;
      if (known !== undefined && (known.isField || forms.needsPerson(known.form))) continue;
      if (submitsPerson(effect, known?.form ?? -1)) continue;
      const source = sourceOf(element, known);
      merged.add(event, source, ownTarget(effect.target, source), effect.value);
    }
  }
  return merged.all();

  function submitsPerson({ submits }: Effect, form: number): boolean {
    if (submits === null) return false;
    return submits.by === 'this' && form !== -1 ? forms.needsPerson(form) : forms.needsPersonCalled(submits.text);
  }
}

/** Empty if the script uses a name for the element that has no meaning outside the script. */
function sourceOf({ by, text }: ElementReference, known: KnownElement | undefined): string {
  if (by === 'id') return `${known?.tag ?? ''}#${text}`;
  return by === 'name' || by === 'this' ? '' : text;
}

/** `this.innerHTML` of `div#next` is `next.innerHTML`. */
function ownTarget(target: string, source: string): string {
  if (!target.startsWith('this.') || source === '') return target;
  const id = source.indexOf('#');
  return (id === -1 ? source : source.slice(id + 1)) + target.slice(4);
}

function linksOf(markup: Markup, address: string, site: string): string[] {
  const resolve = resolverOf(markup, address);
  const links = new Set<string>();
  for (const href of markup.hrefs) {
    const path = pathOn(site, resolve(href));
    if (path === null) continue;
    links.add(path);
    if (links.size >= MAX_LINKS) break;
  }
  return [...links].map(detached);
}

/**
 * Excludes the page itself, the main page and the linked pages. A search box in the head of every page leads to `/`,
 * and a page that a link reaches needs no person.
 */
function formTargetsOf(markup: Markup, address: string, site: string, links: readonly string[]): string[] {
  const resolve = resolverOf(markup, address);
  const own = pathOn(site, normalizer.normalize(address));
  const linked = new Set([...links, own, '/']);
  const targets = new Set<string>();
  for (const action of markup.forms.actions()) {
    const path = action.trim() === '' ? null : pathOn(site, resolve(action.trim()));
    if (path !== null && !linked.has(path) && !linked.has(path.split('?', 1)[0]!)) targets.add(path);
    if (targets.size >= MAX_FORM_TARGETS) break;
  }
  return [...targets].map(detached);
}

function resolverOf({ base }: Markup, address: string): LinkResolver {
  const resolve = normalizer.resolver(address);
  const moved = base === null ? null : resolve(base.trim());
  return moved === null ? resolve : normalizer.resolver(moved);
}

function pathOn(site: string, url: string | null): string | null {
  return url !== null && hostOf(url) === site ? pathOf(url) : null;
}

/**
 * Merges similar events into one (W5): events with the same target and value, from any element and event, so that a
 * crawler triggers only one of them. The result is in the order of discovery, and bounded.
 */
const MAX_ENTRIES = 200;
const MAX_ENTRY_BYTES = 16 * 1024;
const MAX_SOURCES = 50;
/** Bytes of quotes, commas and field names of an entry in a report. */
const ENTRY_OVERHEAD_BYTES = 60;
const NAME_OVERHEAD_BYTES = 3;

class MergedEvents {
  readonly #entries = new Map<string, { events: EventName[]; sources: string[]; target: string; value: string }>();
  #bytesLeft = MAX_ENTRY_BYTES;

  /** `source` is empty if the element is unknown. */
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

  /** Returns copies of the strings, so that the content of the page can be freed. */
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
