/** Treats white space as a browser shows it: a run is one space, and there is none at the edge of a block. */

export const BLOCKS: ReadonlySet<string> = new Set(
  `html head body title address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form
  frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup option p search section summary table caption colgroup
  col thead tbody tfoot tr td th ul br pre`.split(/\s+/),
);
/** Elements that take no room on the line. A space beside them is visible if it would be visible without them. */
export const UNSEEN_NAMES: ReadonlySet<string> = new Set('script style link meta base template noscript'.split(' '));
/** Elements whose white space is exact. For code, the style sheets of many sites make it exact. */
export const EXACT_NAMES: ReadonlySet<string> = new Set(
  'pre textarea script style xmp listing plaintext code samp kbd tt'.split(' '),
);

/** Whether an element stands on its own lines, so that spaces beside its tags are not visible. */
export function isBlock(name: string): boolean {
  return BLOCKS.has(name);
}

export function isExactStyle(style: string): boolean {
  return /white-space\s*:\s*(?:pre|break)/i.test(style);
}

/** Collapses only the white space of HTML: a no-break space is meant to be visible. */
export function collapseSpace(text: string, trimStart: boolean, trimEnd: boolean): string {
  let from = 0;
  let to = text.length;
  if (trimStart) while (from < to && isSpace(text.charCodeAt(from))) from++;
  if (trimEnd) while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  const cut = to - from === text.length ? text : text.slice(from, to);
  return /[\t\n\f\r]| {2}/.test(cut) ? cut.replace(/[ \t\n\f\r]+/g, ' ') : cut;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d || code === 0x0c;
}
