/**
 * Short lines that pages write around an article and that no article contains, such as "Share this". A line is one of
 * them if it is short and begins with a phrase of the table.
 */
export const MOST_LABEL_CHARS = 90;

const PHRASES = [
  'advertisement',
  'advert',
  'ad',
  'sponsored',
  'comments',
  'comment',
  'leave a comment',
  'leave a reply',
  'related',
  'related articles',
  'related stories',
  'related posts',
  'related content',
  'related topics',
  'recommended',
  'read more',
  'read next',
  'read also',
  'also read',
  'see also',
  'see more',
  'more from',
  'more stories',
  "don't miss",
  'you may also like',
  'you might also like',
  'share this',
  'share on',
  'share',
  'like this',
  'tweet',
  'follow us',
  'follow him on',
  'follow her on',
  'follow me on',
  'sign up for',
  'subscribe',
  'click here to',
  'click here for',
  'all rights reserved',
  'copyright',
  '©',
  'tags',
  'tagged',
  'filed under',
  'filed in',
  'posted in',
  'posted by',
  'posted on',
  'published',
  'last updated',
  'updated',
  'print',
  'email',
  'text size',
  'photo by',
  'photo credit',
  'image credit',
  'image source',
  'loading',
  'skip to',
  'back to top',
  'view comments',
  'this article was originally published',
  'download the app',
] as const;

/** The phrases by their first word. */
const BY_FIRST_WORD = new Map<string, string[]>();
for (const phrase of PHRASES) {
  const first = phrase.split(' ', 1)[0] as string;
  BY_FIRST_WORD.set(first, [...(BY_FIRST_WORD.get(first) ?? []), phrase]);
}

/** One word is a label only if it is the whole line. More words are a label also at the beginning of a line. */
export function isLabel(text: string): boolean {
  if (text.length > MOST_LABEL_CHARS * 2) return false;
  const line = text.replace(/\s+/g, ' ').trim().toLowerCase().replaceAll('’', "'");
  if (line.length > MOST_LABEL_CHARS) return false;
  const space = line.indexOf(' ');
  let first = space < 0 ? line : line.slice(0, space);
  if (':.!…?'.includes(first.at(-1) ?? ' ')) first = first.slice(0, -1);
  const phrases = BY_FIRST_WORD.get(first);
  if (phrases === undefined) return false;
  return phrases.some((phrase) => {
    if (phrase.includes(' ') || phrase === '©' || phrase === 'copyright') return line.startsWith(phrase);
    return (
      line === phrase || (line.length <= phrase.length + 3 && line.startsWith(phrase)) || line.startsWith(`${phrase}:`)
    );
  });
}
