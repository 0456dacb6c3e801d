/** The stemmers by their language, under the names that libstemmer gives them. */
export const STEMMERS: Readonly<Record<string, string>> = {
  ...{ ar: 'arabic', ca: 'catalan', da: 'danish', de: 'german', el: 'greek', en: 'english', es: 'spanish' },
  ...{ eu: 'basque', fi: 'finnish', fr: 'french', ga: 'irish', hi: 'hindi', hu: 'hungarian', hy: 'armenian' },
  ...{ id: 'indonesian', it: 'italian', lt: 'lithuanian', ne: 'nepali', nl: 'dutch', no: 'norwegian' },
  ...{ pt: 'portuguese', ro: 'romanian', ru: 'russian', sr: 'serbian', sv: 'swedish', ta: 'tamil', tr: 'turkish' },
  ...{ yi: 'yiddish' },
};
