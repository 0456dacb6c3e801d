/**
 * Recognises ages such as "3 minutes ago" in the most common languages of the web. Only the past counts: "in 3 days" is
 * a date for which someone waits.
 */

const AMOUNT = String.raw`(?:\d{1,3}|an?|one|two|three|a few|few|several)`;
const UNIT = String.raw`(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mo|mos|months?|y|yrs?|years?)\.?`;
/** Text that may stand before an age: verbs of publishing. "Last outage", "born" or "discovered" do not count. */
const LEAD = String.raw`(?:(?:publié|mis à jour|modifié|veröffentlicht|aktualisiert|publicado|actualizado|pubblicato|aggiornato|gepubliceerd|bijgewerkt) |(?:last )?(?:posted|published|updated|edited|modified|asked|answered|commented|replied|active|added|submitted|created|shared|uploaded|last (?:post|reply|activity))(?: on| by [\p{L}\d_.-]{1,30})?:?,? )?`;

const RELATIVE = new RegExp(
  `^(${LEAD})(?:${[
    String.raw`(?:about |over |almost |around |less than |~ ?)?${AMOUNT} ?${UNIT}(?:,? (?:and )?\d{1,2} ?${UNIT})? ago`,
    `(?:just now|moments? ago|a moment ago|seconds ago)`,
    String.raw`vor (?:\d{1,3}|einer|einem|wenigen) (?:sekunden?|minuten?|stunden?|tag(?:en)?|wochen?|monat(?:en)?|jahr(?:en)?)`,
    String.raw`il y a (?:\d{1,3}|une?|quelques) (?:secondes?|minutes?|heures?|jours?|semaines?|mois|ans?)`,
    String.raw`hace (?:\d{1,3}|una?|unos|unas) (?:segundos?|minutos?|horas?|d[ií]as?|semanas?|mes(?:es)?|años?)`,
    String.raw`há (?:\d{1,3}|uma?) (?:segundos?|minutos?|horas?|dias?|semanas?|m[eê]s(?:es)?|anos?)`,
    String.raw`(?:\d{1,3}|una?|un'?) ?(?:second[oi]|minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]) fa`,
    String.raw`(?:\d{1,3}|een) (?:seconden?|minuten|minuut|uur|dagen|dag|weken|week|maanden|maand|jaar) geleden`,
    String.raw`(?:för )?(?:\d{1,3}|en|ett) (?:sekunder|minuter|minut|timmar|timme|dagar|dag|veckor|månader|år) sedan`,
    String.raw`(?:\d{1,3} )?(?:sekund[ęy]?|minut[ęy]?|godzin[ęy]?|dni|dzień|tygodnie|miesi[ąę]c[ey]?|lat[a]?) temu`,
    String.raw`(?:\d{1,3} )?(?:секунд[уы]?|минут[уы]?|час(?:а|ов)?|день|дня|дней|недел[юиь]|месяц(?:а|ев)?|год|года|лет) назад`,
    String.raw`\d{1,3} ?(?:秒|分|時間|日|週間|か月|ヶ月|年)前`,
    String.raw`\d{1,3} ?(?:秒钟?|分钟|小时|天|周|个月|年)前`,
    String.raw`\d{1,3} ?(?:초|분|시간|일|주|개월|년) 전`,
  ].join('|')})$`,
  'iu',
);
/**
 * Every age contains one of these words. A long pattern takes tens of milliseconds to compile at its first use, and
 * with this check most runs never use one.
 */
const AGE_WORD = /ago$|now$|vor |il y a |hace |há | fa$|geleden$|sedan$|temu$|назад$|前$|전$/iu;
const MAX_CHARS = 80;
/** Ages of three-digit years belong to history, not to a post. */
const AGES = /\d{3} ?(?:y|jahr|ans|años?|anos?|ann|jaar|år|lat|год|лет|年|년)/iu;

const AGE_CLASSES = ['years', 'months', 'weeks', 'days', 'hours', 'minutes'] as const;
export type AgeClass = (typeof AGE_CLASSES)[number];

/** Patterns for the largest unit of an age. An age without a match is measured in minutes. */
const UNITS: readonly (readonly [AgeClass, RegExp])[] = [
  ['years', /year|yrs?\b|\d ?y\b|jahr|\d ans?$|un ans?$|año|anos?$|ann[oi] |jaar|år |lata? |год|лет|年|년/iu],
  ['months', /month|\d ?mos?\b|monat|mois|mes|m[eê]s|maand|månad|miesi|месяц|月|개월/iu],
  ['weeks', /week|\d ?wks?\b|\d ?w\b|woche|semaine|semana|settiman|weken|veck|tyg|недел|週|周|주/iu],
  ['days', /days?\b|\d ?d\b|tag(?:en)?$|jour|d[ií]as?$|giorn|dag|dni|dzień|день|дн|日|天|일/iu],
  ['hours', /hours?\b|hrs?\b|\d ?h\b|stunde|heure|hora|or[ae] |uur|timm|godzin|час|時間|小时|시간/iu],
];

/**
 * The unit class of an age. An age grows by itself within its unit, but an age that falls from days to minutes is news.
 */
export function ageClass(age: string): AgeClass {
  for (const [name, pattern] of UNITS) if (pattern.test(age)) return name;
  return 'minutes';
}

/**
 * The index at which the age begins, if the whole text is an age, possibly
 * after "Posted by Ann". -1 for any other text.
 */
export function ageStart(text: string): number {
  if (text.length > MAX_CHARS || !AGE_WORD.test(text)) return -1;
  const found = RELATIVE.exec(text);
  return found === null || AGES.test(text) ? -1 : found[1]!.length;
}

/** "3h", "2d": an age, if the element around it has the exact time. "30 min" would be a duration. */
export function isShortAge(text: string): boolean {
  return (
    /^\d{1,3}\s?(?:s|m|h|d|w|mo|y)$/i.test(text) ||
    /^(?:now|today|yesterday|heute|gestern|hier|aujourd'hui|hoy|ayer|oggi|ieri)$/i.test(text)
  );
}

/** Whether the value is a point in time, not a duration (`PT30M`). */
export function isMomentValue(datetime: string): boolean {
  return /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(datetime.trim());
}
