/** What the site tells of its changes, the three ways. */
export const VARIANTS = ['validators', 'sitemap', 'neither'] as const;
export type Variant = (typeof VARIANTS)[number];

export interface VariantRules {
  /** ETag and Last-Modified with each answer, and 304 to those who ask by them. */
  readonly validators: boolean;
  readonly sitemaps: boolean;
  readonly sentence: string;
}

export const VARIANT_RULES: Readonly<Record<Variant, VariantRules>> = {
  validators: {
    validators: true,
    sitemaps: false,
    sentence: 'ETag and Last-Modified, and 304 for what has not changed; no sitemap',
  },
  sitemap: {
    validators: false,
    sitemaps: true,
    sentence: 'sitemaps with a true lastmod of each page, named by robots.txt; no validators',
  },
  neither: { validators: false, sitemaps: false, sentence: 'no validators, no sitemap: only looking at it tells' },
};
