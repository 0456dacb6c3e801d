/**
 * What the class, the id and the ARIA role of an element say about its content. Authors choose these names freely, but
 * a few hundred English words cover most of the web. The table is the only place that knows such words.
 *
 * A hint is a number: the role in the lowest bits, and flags. `strength` decides what a hint can do: a strong hint
 * removes an element by itself, a weak hint needs support from the text.
 */
import { ADVERTISEMENT, ASIDE, BOILERPLATE, FOOTER, HEADER, NAVIGATION } from './roles.ts';

export const ROLE_BITS = 7;
/** The hint needs support: many links, or little text in sentences. */
export const WEAK = 8;
/** The element is a comment of a reader or a list of comments. In a forum, comments are the content. */
export const COMMENT = 16;
/** The name promises main content. */
export const POSITIVE = 32;
/** The element is hidden from readers. */
export const HIDDEN = 64;
/** The name says that exactly this element holds the text of the article. */
export const ARTICLE_BODY = 128;
/** The element belongs to the content, whatever its other names say, such as footnotes in an `<aside>`. */
const OWN_PART = 256;
/** The element names the author or the date of a text. */
export const BYLINE = 512;
/** The element says who wrote a post of a forum. */
export const POSTER = 1024;
/** The part of a shop that is about buying a product: delivery, payment, the cart, the seller. */
export const COMMERCE = 4096;
/** The price of a product. */
export const PRICE = 8192;
/** A style sheet hides the element, as its name says. Readers of the screen may hear it. */
export const HIDDEN_BY_NAME = 16_384;
/** A dialog about cookies, which may hold most of the text of a page. */
export const CONSENT = 2048;

const GROUPS: readonly (readonly [hint: number, words: string])[] = [
  [NAVIGATION, 'nav navbar navigation menu menus submenu breadcrumb breadcrumbs crumbs pagination pager paging'],
  [
    NAVIGATION,
    'pagenav sitenav topnav navheader navfooter subnav navbox toolbar skip skiplink sitemap sitesub contentsub prevnext toc headerlink',
  ],
  [NAVIGATION, 'brotkrumen kruimelpad ariane migas briciole navegacion navegacao navigazione nawigacja'],
  [NAVIGATION | WEAK, 'tabs tab links jump next prev previous categories category archive archives navi'],
  [HEADER | WEAK, 'header masthead banner topbar head'],
  [FOOTER, 'footer printfooter catlinks copyright colophon legal disclaimer imprint footnav'],
  [HEADER | WEAK, 'kopfzeile entete cabecera cabecalho testata intestazione'],
  [FOOTER, 'fusszeile rodape stopka pieddepage'],
  [FOOTER | WEAK, 'foot bottom credits credit copy'],
  [ASIDE, 'sidebar sidebars sidebox rail aside related recommended recommendations recommendation readmore'],
  [ASIDE, 'trending popular mostread mostpopular recirc recirculation'],
  [ASIDE, 'seealso alsoread teasers suggested suggestions upnext playlist carousel relatedposts morefrom moreon'],
  [ASIDE, 'recent latest breaking ticker'],
  [ASIDE, 'seitenleiste relacionados relacionadas correlati similaires aehnliche powiazane podobne empfehlungen'],
  [ASIDE | WEAK, 'widget widgets teaser more similar side module slider slideshow gallery popup modal overlay'],
  [ADVERTISEMENT, 'ad ads advert adverts advertisement advertising advertorial adslot adbox adunit adsense adwrap'],
  [ADVERTISEMENT, 'sponsor sponsored sponsors outbrain taboola dfp gpt doubleclick promoted revcontent zergnet'],
  [ADVERTISEMENT, 'werbung publicidad publicidade publicite pubblicita reklama advertentie'],
  [ADVERTISEMENT | WEAK, 'promo promos promotion promotional affiliate affiliates banner marketing'],
  [
    BOILERPLATE,
    'share sharing shares sharebar sharedaddy sharethis addthis addtoany social socials socialmedia follow',
  ],
  [BOILERPLATE, 'cookie cookies newsletter newsletters subscribe subscription signup login'],
  [BOILERPLATE | BYLINE, 'byline bylines dateline pubdate timestamp'],
  [BOILERPLATE, 'tags taglist tagcloud print email'],
  [BOILERPLATE, 'rating ratings vote votes voting likes reactions feedback correction corrections tooltip'],
  [BOILERPLATE, 'caption captions figcaption imagecaption photocredit'],
  [BOILERPLATE, 'editsection mwe donate donation poll quiz'],
  [BOILERPLATE | WEAK, 'authors bio biography profile meta metadata metainfo time tag tools actions'],
  [BOILERPLATE | WEAK, 'icon icons counter count button buttons btn cta register form search facebook twitter'],
  [BOILERPLATE | WEAK, 'updated avatar topics keywords info'],
  [BOILERPLATE | WEAK | BYLINE, 'published posted publish postdate author date datetime'],
  [BOILERPLATE, 'teilen compartir compartilhar partager partage condividi'],
  [POSTER, 'user userinfo username usertitle userdetails poster postprofile member signature sig tagline attribution'],
  [POSTER, 'postauthor postdetails reactions reactionsbar badges postleft moderatorbar'],
  [COMMERCE, 'delivery deliveries shipping shipment postage freight versand livraison payment payments finance'],
  [
    COMMERCE,
    'financing klarna afterpay affirm paypal installments returns refund refunds cart addtocart addcart basket',
  ],
  [COMMERCE, 'wishlist wish compare comparison seller sellers merchant store stores'],
  [
    COMMERCE,
    'bundle upsell upsells crosssell crosssells seal seals badge usp loyalty rewards points voucher coupon guarantee pickup',
  ],
  [COMMERCE, 'viewed history sizechart sizeguide askquestion helpful helpfulness pincode postcode zipcode'],
  [COMMERCE, 'warenkorb lieferung zahlung panier carrito carrinho carrello koszyk envio envios spedizione dostawa'],
  [PRICE, 'price prices pricing preis prix precio preco prezzo cena'],
  [BOILERPLATE | CONSENT, 'onetrust cybot cookiebot optanon didomi iubenda usercentrics truste consent gdpr'],
  [BOILERPLATE | COMMENT, 'comment comments commentlist disqus respond reply replies livefyre commenting'],
  [BOILERPLATE | COMMENT, 'kommentar kommentare commentaire commentaires comentario comentarios commenti komentarze'],
  [POSITIVE, 'article content entry story text body main post blog paragraph mainbody prose articletext'],
  [POSITIVE, 'description detail details markdown rst document documentation docs wiki'],
  [POSITIVE, 'artikel inhalt contenu contenido conteudo contenuto beschreibung descripcion descricao descrizione'],
  [POSITIVE | ARTICLE_BODY, 'articlebody storybody entrycontent postcontent articlecontent storycontent postbody'],
];

/** Names that hide an element. Inside longer names, the same words say something else (`field--label-hidden`). */
const HIDING = new Set(
  'hidden invisible is-hidden visually-hidden visuallyhidden u-hidden sr-only d-none sm:hidden md:hidden lg:hidden d-sm-none d-md-none d-lg-none'.split(
    ' ',
  ),
);
/** Frameworks of style sheets show some hidden elements on wide screens: `hidden md:block`, `d-none d-md-flex`. */
const SHOWN_ON_WIDE = /\b(?:(?:sm|md|lg|xl):|d-(?:sm|md|lg|xl)-)(?:block|flex|grid|inline|table|contents)/;
/** These words say that the named part is beside the element, not in it (`has-sidebar`). */
const BESIDE = new Set('has with without no'.split(' '));

const OWN_PARTS = 'footnote footnotes footnotelist admonition citation references reflist bibliography';

const HINTS = new Map<string, number>();
for (const [hint, words] of GROUPS) {
  for (const word of words.split(' ')) HINTS.set(word, mergeHints(HINTS.get(word) ?? 0, hint));
}
for (const word of OWN_PARTS.split(' ')) HINTS.set(word, OWN_PART);

const ARIA_ROLES = new Map<string, number>([
  ['navigation', NAVIGATION],
  ['menu', NAVIGATION],
  ['menubar', NAVIGATION],
  ['banner', HEADER | WEAK],
  ['contentinfo', FOOTER],
  ['complementary', ASIDE],
  ['search', BOILERPLATE],
  ['dialog', BOILERPLATE],
  ['alertdialog', BOILERPLATE],
  ['alert', BOILERPLATE],
  ['main', POSITIVE],
  ['article', POSITIVE],
]);

const ELEMENT_HINTS = new Map<string, number>([
  ['nav', NAVIGATION],
  ['header', HEADER | WEAK],
  ['footer', FOOTER],
  ['aside', ASIDE],
  ['menu', NAVIGATION],
  ['main', POSITIVE],
  ['article', POSITIVE],
  ['form', BOILERPLATE | WEAK],
  ['fieldset', BOILERPLATE | WEAK],
  ['figcaption', BOILERPLATE],
  ['address', BOILERPLATE | WEAK],
  ['time', BOILERPLATE | WEAK | BYLINE],
  ['dialog', BOILERPLATE],
]);

/** Longer names are read only up to here. */
const MAX_NAME_CHARS = 300;

/** Reads hints from names and remembers them, because the elements of a page share few class names. */
export class HintReader {
  readonly #known = new Map<string, number>();

  /** The hint of an element with this name and these attributes. */
  read(name: string, attributes: readonly string[]): number {
    let hint = ELEMENT_HINTS.get(name) ?? 0;
    for (let i = 0; i < attributes.length; i += 2) {
      const value = attributes[i + 1] ?? '';
      switch (attributes[i]) {
        case 'id':
          if (!isSlug(name, value, attributes)) hint = mergeHints(hint, this.#readName(value));
          break;
        case 'class':
        case 'data-testid':
        case 'data-component':
          hint = mergeHints(hint, this.#readName(value));
          break;
        case 'role':
          hint = mergeHints(hint, ARIA_ROLES.get(value) ?? 0);
          break;
        case 'itemprop':
          if (value === 'articleBody') hint |= POSITIVE | ARTICLE_BODY;
          break;
        case 'hidden':
          if (!isStreamed(attributes)) hint |= HIDDEN;
          break;
        case 'style':
          if (hidesElement(value)) hint |= HIDDEN;
          break;
      }
    }
    return hint & OWN_PART ? hint & ~(ROLE_BITS | WEAK | OWN_PART) : hint;
  }

  #readName(value: string): number {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const hint = hintOfName(value.length > MAX_NAME_CHARS ? value.slice(0, MAX_NAME_CHARS) : value);
    this.#known.set(value, hint);
    return hint;
  }
}

/** React sends late parts of a page in hidden elements with such an id, and shows them with a script. */
function isStreamed(attributes: readonly string[]): boolean {
  const id = attributes.indexOf('id');
  return id >= 0 && id % 2 === 0 && /^S:[0-9a-f]{1,4}$/.test(attributes[id + 1] ?? '');
}

/** Elements whose id is mostly made from the heading of the text, as in `<section id="cookie-objects">`. */
const SLUG_ELEMENTS = new Set('dt dd li span a h1 h2 h3 h4 h5 h6'.split(' '));

/** Says whether an id describes the subject of the text instead of the purpose of the element. */
function isSlug(name: string, id: string, attributes: readonly string[]): boolean {
  if (SLUG_ELEMENTS.has(name)) return true;
  const isSection = (name === 'section' && !attributes.includes('class')) || attributes.includes('section');
  return isSection && /[-._]/.test(id);
}

/** A name of so many parts that are so short on average was made by a program (`adFHlH`). Its parts are no words. */
const LEAST_RANDOM_PARTS = 3;
const SHORT_PART = 2.5;
/** The letters in the number that a program gave to an element (`4fa61cd5-c870-432d`) are no words. */
const NUMBERED = /[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}(?![a-z])/i;
const LEAST_NUMBERED = 14;

/** WordPress names the subjects of a post beside its kind: `post type-post category-social tag-newsletter`. */
const OF_POST = /\b(?:hentry|type-post|type-product|status-publish)\b/;
const SUBJECT = /^(?:(?:\w+_)?(?:tag|cat|category)|status|format|type|author)-/;

function hintOfName(value: string): number {
  let hint = 0;
  const isPost = OF_POST.test(value);
  const isShown = SHOWN_ON_WIDE.test(value);
  // Style sheets of small rules write values into names: `top-[var(--nav-height)]`.
  for (const name of value.replace(/\[[^[\]]*\]/g, '').split(' ')) {
    let previous = '';
    let own = HIDING.has(name) && !isShown ? BOILERPLATE | HIDDEN_BY_NAME : 0;
    if ((name.length >= LEAST_NUMBERED && NUMBERED.test(name)) || (isPost && SUBJECT.test(name))) continue;
    const words = name.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [];
    if (words.length >= LEAST_RANDOM_PARTS && name.length < SHORT_PART * words.length) continue;
    for (const word of words) {
      const lower = word.toLowerCase();
      if (!BESIDE.has(previous)) own = mergeHints(own, HINTS.get(lower) ?? 0);
      if (previous !== '') own = mergeHints(own, HINTS.get(previous + lower) ?? 0);
      previous = lower;
    }
    // The content of a user is no note about the user.
    hint = mergeHints(hint, own & POSTER && /content|text|body/i.test(name) ? own & ~POSTER : own);
  }
  return hint;
}

/** Joins two hints. The first strong role wins, a weak role counts only if there is no strong one. */
function mergeHints(a: number, b: number): number {
  const flags =
    (a | b) &
    (COMMENT |
      POSITIVE |
      HIDDEN |
      ARTICLE_BODY |
      OWN_PART |
      BYLINE |
      POSTER |
      CONSENT |
      COMMERCE |
      PRICE |
      HIDDEN_BY_NAME);
  const roleA = a & (ROLE_BITS | WEAK);
  const roleB = b & (ROLE_BITS | WEAK);
  if (roleA === 0 || (roleA & WEAK && roleB !== 0 && !(roleB & WEAK))) return flags | roleB;
  return flags | roleA;
}

function hidesElement(style: string): boolean {
  if (style.length < 12) return false;
  const compact = style.slice(0, MAX_NAME_CHARS).replaceAll(' ', '').toLowerCase();
  return compact.includes('display:none') || compact.includes('visibility:hidden');
}
