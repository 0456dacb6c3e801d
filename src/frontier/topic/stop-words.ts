/**
 * The most common words of seven languages. They say nothing about a topic. The crawl would learn by itself that they
 * are common (see word-frequencies.ts), but only from pages that it judges off topic. A topic made from example pages
 * that contained these words would match every page of the same language until hundreds of pages were read. Other
 * languages need that learning phase.
 */
import { WordScan } from './word-scan.ts';

const LISTS = [
  // English
  `a about after all also an and any are as at be because been before being but by can could did do does each for from had has have
  he her here his how i if in into is it its just may me more most my no not of on one only or other our out over own same she should
  so some such than that the their them then there these they this those through to too under until up us very was we were what
  when where which while who why will with would you your`,
  // German
  `aber als am an auch auf aus bei bis das dass dem den der des die doch durch ein eine einem einen einer eines er es für hat ich ihr
  im in ist ja kann man mehr mit nach nicht noch nur oder ohne sich sie sind so über um und uns unter vom von vor war was wenn werden
  wie wird wir zu zum zur`,
  // French
  `au aux avec ce ces cette dans de des du elle en est et être il ils je la le les leur lui mais même ne nous on ou où par pas plus pour
  qu que qui sa sans se ses son sont sur tout un une vous`,
  // Spanish, Portuguese, Italian
  `al como con del desde el ella ellos entre era es esta este fue ha hay la las lo los más muy no nos o para pero por que se ser si sin
  sobre su sus también un una uno y ao aos as com da das do dos e ela ele em esse isso já mas mesmo na nas não no nos ou pela pelo qual
  quando são sem seu sua também um uma anche che chi ci come cui da dal dalla degli dei del della delle di e gli il in io la le ma nei
  nel nella non per più quale questo se si sono sul sulla tra un una uno`,
  // Dutch
  `aan als bij dan dat de deze die dit door een en er haar had heeft het hij hun ik in is je kan maar meer met naar niet nog of om ook op
  te tot uit van voor was wat we werd wij worden zal ze zich zij zijn zo`,
] as const;

let hashes: Set<number> | undefined;

/** True if the word with this hash is a stop word. */
export function isStopWord(hash: number): boolean {
  hashes ??= hashAll();
  return hashes.has(hash);
}

function hashAll(): Set<number> {
  const scan = new WordScan();
  scan.readText(LISTS.join(' '));
  return new Set(scan.hashes.subarray(0, scan.count));
}
