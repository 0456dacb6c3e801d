/** The roles that a block of a page can have. Only blocks with the role `content` are main content. */
export const BLOCK_ROLES = [
  'content',
  'navigation',
  'header',
  'footer',
  'aside',
  'advertisement',
  'boilerplate',
] as const;
export type BlockRole = (typeof BLOCK_ROLES)[number];

/** The numbers of the roles, as the tables and arrays of this folder store them. */
export const CONTENT = 0;
export const NAVIGATION = 1;
export const HEADER = 2;
export const FOOTER = 3;
export const ASIDE = 4;
export const ADVERTISEMENT = 5;
export const BOILERPLATE = 6;
