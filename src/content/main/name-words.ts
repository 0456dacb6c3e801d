/**
 * The words in the class and the id of an element that say something about its content, with what they say. Authors
 * choose these names freely, but a few hundred words, most of them English, cover most of the web. This table is the
 * only place that knows such words.
 *
 * A hint is a number: the role in the lowest bits, and flags. A strong hint removes an element by itself, a weak hint
 * needs support from the text.
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
export const OWN_PART = 256;
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

export const GROUPS: readonly (readonly [hint: number, words: string])[] = [
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
export const HIDING = new Set(
  [
    'hidden invisible is-hidden visually-hidden visuallyhidden u-hidden sr-only',
    'd-none sm:hidden md:hidden lg:hidden d-sm-none d-md-none d-lg-none',
  ].flatMap((names) => names.split(' ')),
);
/** Frameworks of style sheets show some hidden elements on wide screens: `hidden md:block`, `d-none d-md-flex`. */
export const SHOWN_ON_WIDE = /\b(?:(?:sm|md|lg|xl):|d-(?:sm|md|lg|xl)-)(?:block|flex|grid|inline|table|contents)/;
/** These words say that the named part is beside the element, not in it (`has-sidebar`). */
export const BESIDE = new Set('has with without no'.split(' '));

export const OWN_PARTS = 'footnote footnotes footnotelist admonition citation references reflist bibliography';
