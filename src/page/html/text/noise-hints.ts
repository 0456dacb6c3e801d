/**
 * Tells the kernel that reads the words of a page (word-kernel.wat) where a text may be noise: the words that the rules
 * for texts need (change/noise/text-noise.ts, change/noise/relative-time.ts), the labels of advertisements, and the
 * hosts of advertisements.
 *
 * What always holds: a text that a rule alters has one of these words. A text with such a word need not be noise.
 */
import { AD_HOSTS } from '../../../url/ad-hosts.ts';

/** Single characters of Chinese, Japanese and Korean are words. */
const NOISE_WORDS = `
  ago now vor y hace há fa geleden sedan temu назад 前 전
  view views pageview pageviews viewed viewing hits times accessed visited read seen online browsing reading visitor
  aufruf aufrufe vue vues visualizaciones visualizações visualizzazioni weergaven wyświetleń visningar visninger
  просмотр просмотра просмотров 次 回 조
  uhrzeit serverzeit jetzt currently
  generated rendered served created processed executed cached delivered handled queries time
  c copyright
  advertisement advertisements ad ads sponsored anzeige werbung publicité publicidad pubblicità advertentie`;

const SLOTS = 1_024;

interface NoiseWords {
  /** One bit for each value of the upper 16 bits of a hash. Most words fail this test. */
  readonly bits: Uint8Array;
  readonly slots: Uint32Array;
}

let noiseWords: NoiseWords | null = null;
let adSlots: Uint32Array | null = null;

/** `hashesOf` returns the hashes of the words of a text. */
export function fillNoiseWords({ bits, slots }: NoiseWords, hashesOf: (text: string) => Uint32Array): void {
  noiseWords ??= makeNoiseWords(hashesOf);
  bits.set(noiseWords.bits);
  slots.set(noiseWords.slots);
}

function makeNoiseWords(hashesOf: (text: string) => Uint32Array): NoiseWords {
  const bits = new Uint8Array(2 ** 13);
  const slots = new Uint32Array(SLOTS);
  // The kernel ignores only the case of ASCII letters.
  const inAnyCase = [NOISE_WORDS, NOISE_WORDS.toUpperCase(), NOISE_WORDS.replace(/\S+/g, capitalized)].join(' ');
  for (const hash of hashesOf(inAnyCase)) {
    const at = hash >>> 19;
    bits[at] = (bits[at] as number) | (1 << ((hash >>> 16) & 7));
    addTo(slots, hash);
  }
  return { bits, slots };
}

/** Adds a hash to a table with open addressing. */
function addTo(slots: Uint32Array, hash: number): void {
  const wanted = hash >>> 0;
  let slot = wanted & (SLOTS - 1);
  while (slots[slot] !== 0 && slots[slot] !== wanted) slot = (slot + 1) & (SLOTS - 1);
  slots[slot] = wanted;
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** The hash is computed from the end of a host, so that domains are prefixes. */
export function fillAdHosts(slots: Uint32Array): void {
  if (adSlots === null) {
    adSlots = new Uint32Array(SLOTS);
    for (const host of AD_HOSTS) {
      let hash = 0x811c9dc5;
      for (let at = host.length - 1; at >= 0; at--) {
        hash = Math.imul(hash ^ host.charCodeAt(at) ^ lowerBit(host.charCodeAt(at)), 0x01000193);
      }
      addTo(adSlots, hash);
    }
  }
  slots.set(adSlots);
}

/** The kernel sets this bit in every character, which makes letters lower case. */
function lowerBit(code: number): number {
  return 0x20 & ~code;
}
