/** Well-formed pages from a seed, as a content system writes them, with a few hundred bytes to two kilobytes. */

const WORDS = 'spider web orb silk thread garden morning dew branch leaf wind rain light shadow price offer news'.split(
  ' ',
);
const BLOCKS = ['p', 'div', 'section', 'article', 'blockquote', 'h2', 'pre'] as const;
const INLINE = ['b', 'em', 'span', 'a', 'code'] as const;

type Random = () => number;

const MAX_DEPTH = 4;

const below = (random: Random, limit: number): number => Math.floor(random() * limit);
const pick = <T>(random: Random, list: readonly T[]): T => list[below(random, list.length)] as T;

export function randomSentence(random: Random, words: number): string {
  return Array.from({ length: words }, () => pick(random, WORDS)).join(' ');
}

export function randomPage(random: Random): string {
  return pageOf(
    random,
    Array.from({ length: 2 + below(random, 5) }, () => randomBlock(random)),
  );
}

/** One of the sibling parts of a page, with at most `depth` levels of blocks. */
export function randomBlock(random: Random, depth = MAX_DEPTH): string {
  return block(random, MAX_DEPTH - depth);
}

export function pageOf(random: Random, blocks: readonly string[]): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${randomSentence(random, 3)}</title></head>
<body><header id="top"><a href="/">home</a></header><main>${blocks.join('\n')}</main><footer>&copy; ${below(random, 2030)}</footer></body></html>`;
}

function block(random: Random, depth: number): string {
  const kind = below(random, 8);
  if (kind === 0) return list(random);
  if (kind === 1) return table(random);
  if (kind === 2)
    return `<figure><img src="/i/${below(random, 99)}.png" alt="${pick(random, WORDS)}"><figcaption>${phrase(random)}</figcaption></figure>`;
  const name = pick(random, BLOCKS);
  const holdsBlocks = name !== 'p' && name !== 'h2' && name !== 'pre' && depth < MAX_DEPTH - 1;
  const inside = holdsBlocks && random() < 0.6 ? block(random, depth + 1) + block(random, depth + 1) : phrase(random);
  return `<${name}${attributes(random)}>${inside}</${name}>`;
}

function list(random: Random): string {
  const items = Array.from({ length: 1 + below(random, 4) }, () => `<li>${phrase(random)}</li>`).join('');
  return `<ul${attributes(random)}>${items}</ul>`;
}

function table(random: Random): string {
  const row = () => `<tr><td>${phrase(random)}</td><td>$${below(random, 500)}</td></tr>`;
  return `<table><thead><tr><th>item</th><th>price</th></tr></thead><tbody>${row()}${row()}</tbody></table>`;
}

function phrase(random: Random): string {
  const name = pick(random, INLINE);
  const extra = name === 'a' ? ` href="/${pick(random, WORDS)}/${below(random, 99)}"` : attributes(random);
  const inner = `<${name}${extra}>${randomSentence(random, 1 + below(random, 3))}</${name}>`;
  return `${randomSentence(random, 1 + below(random, 9))} ${inner} ${randomSentence(random, 1 + below(random, 6))}.`;
}

function attributes(random: Random): string {
  const kind = below(random, 4);
  if (kind === 0) return ` class="${pick(random, WORDS)} ${pick(random, WORDS)}"`;
  return kind === 1 ? ` id="${pick(random, WORDS)}-${below(random, 99)}"` : '';
}
