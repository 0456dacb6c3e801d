/** The three ways in which any site can announce its changes, or not. */
export const VARIANTS = ['validators', 'sitemap', 'neither'] as const;
/** The fourth variant has a watcher beside the site and its own benchmark (bench/watcher.ts). */
export const ALL_VARIANTS = [...VARIANTS, 'watcher'] as const;
export type Variant = (typeof ALL_VARIANTS)[number];

export interface VariantRules {
  /** ETag and Last-Modified in each response, and 304 for conditional requests. */
  readonly validators: boolean;
  readonly sitemaps: boolean;
  readonly watcher: boolean;
  readonly sentence: string;
}

export const VARIANT_RULES: Readonly<Record<Variant, VariantRules>> = {
  validators: {
    validators: true,
    sitemaps: false,
    watcher: false,
    sentence: 'ETag and Last-Modified, and 304 for what has not changed; no sitemap',
  },
  sitemap: {
    validators: false,
    sitemaps: true,
    watcher: false,
    sentence: 'sitemaps with a true lastmod of each page, named by robots.txt; no validators',
  },
  neither: {
    validators: false,
    sitemaps: false,
    watcher: false,
    sentence: 'no validators, no sitemap: only looking at it tells',
  },
  watcher: {
    validators: true,
    sitemaps: false,
    watcher: true,
    sentence: 'a watcher beside the site, whose report tells what changed; validators as well',
  },
};
