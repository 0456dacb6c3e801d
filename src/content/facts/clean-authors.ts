/** Makes names of what pages write as their author: `By Jane Doe and John Roe | Staff`. */

const LEADING = /^(?:written |posted |published )?by:? /i;
const BETWEEN = /;| and | & | und | et /;
const ADDRESS = /^(?:https?:|\/|@|www\.)/i;
const MAX_NAME = 80;
const MAX_AUTHORS = 20;

/** Returns undefined if no text is a name. Addresses of profiles are no names. */
export function cleanAuthors(texts: readonly string[]): string[] | undefined {
  const names = new Set<string>();
  for (const text of texts.slice(0, MAX_AUTHORS)) {
    for (const part of text.slice(0, 400).replace(LEADING, '').split(BETWEEN)) {
      const name = (part.split('|')[0] as string).trim();
      if (name !== '' && name.length <= MAX_NAME && !ADDRESS.test(name)) names.add(name);
    }
  }
  return names.size === 0 ? undefined : [...names].slice(0, MAX_AUTHORS);
}
