/**
 * What shops write about buying instead of about the product: delivery, payment, returns, the cart, and the headings
 * above other products. The words are those of about a dozen languages, because the names of elements are often made by
 * programs and say nothing.
 */

/** The beginnings of words about delivery, payment, returns and the cart. */
const STEMS = (
  'deliver shipping shipment shipped ships dispatch postage courier customs refund payment paypal klarna afterpay ' +
  'clearpay instalment installment financ checkout cart basket wishlist pickup returns ' +
  'liefer versand zahlung rückgabe rücksend retoure warenkorb merkzettel wunschliste ratenkauf widerruf abholung ' +
  'livraison livré expédi retours rembours paiement panier ' +
  'envío envios entrega devoluc pago pagos carrito reembols ' +
  'devoluç pagament carrinho frete parcelas ' +
  'spedizion consegn restituzion reso resi rimbors carrello ' +
  'levering verzend bezorg retourn betaal betaling winkelwagen winkelmand ' +
  'dostaw wysyłk zwrot płatno koszyk ' +
  'doprav doručen vrácen vráten platb košík košíku ' +
  'livrare retur plata szállít fizetés ' +
  'leverans frakt betalning kundvagn handlekurv toimitus ' +
  'доставк оплат возврат корзин рассрочк кредит самовывоз'
).split(' ');

/** Words with such a beginning that say what is in the box. */
const OTHER_WORDS = new Set(['lieferumfang', 'basketball']);

/** What stands above other products, or above a part that is about the shop. */
const HEADINGS = [
  'also like',
  'also love',
  'also bought',
  'also viewed',
  'also be interested',
  'might like',
  'may like',
  'related products',
  'related items',
  'similar products',
  'similar items',
  'bought together',
  'recently viewed',
  'recommended for',
  'recommended products',
  'recommendations',
  'we recommend',
  'complete the look',
  'shop the look',
  'complete your',
  'wear it with',
  'goes well with',
  'pairs well with',
  'pair it with',
  'customers who',
  'customers also',
  'people also',
  'other products',
  'other items',
  'more products',
  'more items',
  'more from',
  'more like this',
  'featured products',
  'popular products',
  'best sellers',
  'bestsellers',
  'new arrivals',
  'how about these',
  'compare with',
  'sponsored',
  'size guide',
  'size chart',
  'ask a question',
  'write a review',
  'leave a review',
  'add a review',
  'add your review',
  'write your own review',
  'tell a friend',
  'about the seller',
  'seller information',
  'about this seller',
  'meet your seller',
  'need help',
  'contact us',
  'get in touch',
  'why buy',
  'why shop',
  'our guarantee',
  'newsletter',
  'stay in touch',
  'subscribe',
  'follow us',
  'share this',
  'ähnliche',
  'das könnte',
  'könnte dir',
  'könnte ihnen',
  'kunden kauften',
  'kunden die',
  'zuletzt angesehen',
  'passend dazu',
  'passendes zubehör',
  'oft zusammen',
  'empfehlungen',
  'produits similaires',
  'vous aimerez',
  'pourriez aimer',
  'aimerez aussi',
  'clients ont',
  'produits associés',
  'articles similaires',
  'déjà vus',
  'récemment consultés',
  'productos similares',
  'productos relacionados',
  'también te',
  'te puede',
  'vistos recientemente',
  'produtos similares',
  'produtos relacionados',
  'quem comprou',
  'você também',
  'também pode',
  'prodotti simili',
  'prodotti correlati',
  'potrebbe interessarti',
  'potrebbero interessarti',
  'ti potrebbe',
  'chi ha acquistato',
  'vergelijkbare producten',
  'gerelateerde producten',
  'bekeken ook',
  'misschien ook',
  'podobne produkty',
  'produkty powiązane',
  'klienci kupili',
  'zobacz też',
  'zobacz również',
  'podobné produkty',
  'související',
  'súvisiace',
  'mohlo by',
  'liknande produkter',
  'lignende produkter',
  'похожие',
  'с этим товаром',
  'рекомендуем',
  'вы смотрели',
  'сопутствующие',
  'сравнивают с',
] as const;

/** A heading with more words says something about the product. */
const MOST_HEADING_WORDS = 8;
const MOST_HEADING_CHARS = 80;
/** The word `delivery` makes the heading of a part only if the heading has few other words. */
const MOST_WORDS_WITH_STEM = 6;

const BY_START = new Map<string, string[]>();
const START_CHARS = 4;
for (const stem of STEMS) {
  const start = stem.slice(0, START_CHARS);
  BY_START.set(start, [...(BY_START.get(start) ?? []), stem]);
}

/** Says whether a word is about delivery, payment, returns or the cart. */
function isSalesWord(word: string): boolean {
  if (OTHER_WORDS.has(word)) return false;
  const stems = BY_START.get(word.slice(0, START_CHARS));
  return stems?.some((stem) => (stem.length <= START_CHARS ? word === stem : word.startsWith(stem))) ?? false;
}

/** Says whether a heading announces other products, or a part about buying. */
export function isSalesHeading(text: string): boolean {
  if (text.length > MOST_HEADING_CHARS) return false;
  const words = wordsOf(text);
  if (words.length === 0 || words.length > MOST_HEADING_WORDS) return false;
  const line = ` ${words.join(' ')} `;
  if (HEADINGS.some((phrase) => line.includes(` ${phrase} `))) return true;
  return words.length <= MOST_WORDS_WITH_STEM && words.some(isSalesWord);
}

/** How many words a text has, and how many of them are about buying. */
export function countSalesWords(text: string): { words: number; sales: number } {
  const words = wordsOf(text);
  return { words: words.length, sales: words.filter(isSalesWord).length };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
}
