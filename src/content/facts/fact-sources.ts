/**
 * The one table that says where each fact of a page comes from, the most trusted source first. Declared data comes
 * before what readers see, because it is written for programs; data about the page itself comes before data about parts
 * of it. A source is written as `syntax property`, and `schema` stands for JSON-LD, microdata and RDFa, in this order.
 */

export const FACT_SOURCES = {
  title: [
    'schema headline',
    'opengraph og:title',
    'twitter twitter:title',
    'schema name',
    'dublin-core title',
    'microformats name',
    'visible heading',
    'visible title',
  ],
  authors: [
    'schema author',
    'schema creator',
    'microformats author',
    'opengraph article:author',
    'meta author',
    'dublin-core creator',
    'meta parsely-author',
    'meta sailthru.author',
    'opengraph og:article:author',
    'visible author',
    'visible byline',
  ],
  published: [
    'schema datePublished',
    'opengraph article:published_time',
    'opengraph og:article:published_time',
    'meta parsely-pub-date',
    'meta sailthru.date',
    'dublin-core issued',
    'dublin-core created',
    'dublin-core date',
    'meta date',
    'meta pubdate',
    'meta publishdate',
    'microformats published',
    'schema dateCreated',
    'schema uploadDate',
    'visible time',
  ],
  modified: [
    'schema dateModified',
    'opengraph article:modified_time',
    'opengraph og:updated_time',
    'dublin-core modified',
    'meta last-modified',
    'meta revised',
    'microformats updated',
    'header last-modified',
  ],
  language: [
    'visible language',
    'header content-language',
    'meta content-language',
    'schema inLanguage',
    'opengraph og:locale',
    'dublin-core language',
    'meta language',
  ],
  description: [
    'opengraph og:description',
    'meta description',
    'schema description',
    'twitter twitter:description',
    'dublin-core description',
    'dublin-core abstract',
    'microformats summary',
  ],
  siteName: [
    'opengraph og:site_name',
    'schema publisher',
    'site name',
    'meta application-name',
    'dublin-core publisher',
    'twitter twitter:site',
  ],
  image: [
    'opengraph og:image',
    'schema image',
    'twitter twitter:image',
    'twitter twitter:image:src',
    'schema thumbnailUrl',
    'microformats photo',
    'link image_src',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type FactName = keyof typeof FACT_SOURCES;

/** The types that say what a whole page is, with the kind that they mean. The first one that a page has counts. */
export const PAGE_KINDS: readonly (readonly [types: RegExp, kind: string])[] = [
  [/^(?:.*Article|NewsArticle|BlogPosting|.*Posting|Report|h-entry|article|blog)$/, 'article'],
  [/^(?:Product|ProductGroup|IndividualProduct|Vehicle|Car|h-product|product|og:product|product\..*)$/, 'product'],
  [/^(?:Recipe|h-recipe)$/, 'recipe'],
  [/^(?:.*Event|h-event|event)$/, 'event'],
  [/^(?:VideoObject|Movie|TVEpisode|video\..*)$/, 'video'],
  [/^(?:JobPosting)$/, 'job'],
  [/^(?:QAPage|DiscussionForumPosting)$/, 'discussion'],
  [/^(?:FAQPage)$/, 'faq'],
  [/^(?:.*Review|h-review)$/, 'review'],
  [/^(?:Book|book)$/, 'book'],
  [/^(?:ProfilePage|profile)$/, 'profile'],
  [/^(?:CollectionPage|SearchResultsPage|ItemList|h-feed)$/, 'listing'],
  [/^(?:WebSite|website)$/, 'website'],
];

/**
 * The types of items that describe the page or its subject. Other items describe parts: an offer, a logo, a comment.
 */
export const SUBJECT_TYPES =
  /(?:Article|Posting|Report|Product|ProductGroup|Recipe|Event|VideoObject|Movie|Book|Review|Course|HowTo|QAPage|CreativeWork|Dataset|SoftwareApplication|MusicAlbum|MusicRecording)$/;
export const PAGE_TYPES = /(?:Page|WebSite)$/;
