import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectLanguage, languageOf } from '../../../src/content/language/detect-language.ts';

/** Article 1 of the Universal Declaration of Human Rights, or its first sentence. */
const TEXTS: Readonly<Record<string, string>> = {
  en: 'All human beings are born free and equal in dignity and rights.',
  de: 'Alle Menschen sind frei und gleich an Würde und Rechten geboren.',
  fr: 'Tous les êtres humains naissent libres et égaux en dignité et en droits.',
  es: 'Todos los seres humanos nacen libres e iguales en dignidad y derechos.',
  pt: 'Todos os seres humanos nascem livres e iguais em dignidade e em direitos.',
  it: 'Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti.',
  ca: 'Tots els éssers humans neixen lliures i iguals en dignitat i en drets.',
  nl: 'Alle mensen worden vrij en gelijk in waardigheid en rechten geboren.',
  sv: 'Alla människor är födda fria och lika i värde och rättigheter.',
  da: 'Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og samvittighed.',
  fi: 'Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan.',
  hu: 'Minden emberi lény szabadon születik és egyenlő méltósága és joga van.',
  pl: 'Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.',
  cs: 'Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv.',
  sk: 'Všetci ľudia sa rodia slobodní a sebe rovní, čo sa týka ich dôstojnosti a práv.',
  sl: 'Vsi ljudje se rodijo svobodni in imajo enako dostojanstvo in enake pravice.',
  ro: 'Toate ființele umane se nasc libere și egale în demnitate și în drepturi.',
  lt: 'Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis.',
  lv: 'Visi cilvēki piedzimst brīvi un vienlīdzīgi savā pašcieņā un tiesībās.',
  et: 'Kõik inimesed sünnivad vabadena ja võrdsetena oma väärikuselt ja õigustelt.',
  is: 'Hver maður er borinn frjáls og jafn öðrum að virðingu og réttindum.',
  tr: 'Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.',
  vi: 'Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền.',
  ru: 'Все люди рождаются свободными и равными в своем достоинстве и правах.',
  uk: 'Всі люди народжуються вільними і рівними у своїй гідності та правах.',
  bg: 'Всички хора се раждат свободни и равни по достойнство и права.',
  sr: 'Сва људска бића рађају се слободна и једнака у достојанству и правима.',
  be: 'Усе людзі нараджаюцца свабоднымі і роўнымі ў сваёй годнасці і правах.',
  el: 'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.',
  he: 'כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.',
  ar: 'يولد جميع الناس أحراراً متساوين في الكرامة والحقوق.',
  fa: 'تمام افراد بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند.',
  ur: 'تمام انسان آزاد اور حقوق و عزت کے اعتبار سے برابر پیدا ہوئے ہیں۔',
  hi: 'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।',
  th: 'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ',
  ja: 'すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。',
  zh: '人人生而自由，在尊严和权利上一律平等。',
  ko: '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.',
};

test('the language of one sentence is detected, in 38 languages', () => {
  const found = Object.entries(TEXTS).map(([language, text]) => [language, detectLanguage(text)]);
  assert.deepEqual(
    found.filter(([language, detected]) => language !== detected),
    [],
  );
});

test('three words are enough for languages that differ clearly', () => {
  assert.equal(detectLanguage('where is the station'), 'en');
  assert.equal(detectLanguage('wo ist der Bahnhof'), 'de');
  assert.equal(detectLanguage('où est la gare'), 'fr');
});

test('a text without words has no language', () => {
  for (const text of ['', '12 345', '+++', 'a', 'xq zvk wqx qqq jxz vvq'])
    assert.equal(detectLanguage(text), null, text);
});

test('a declared language wins, unless the text is clearly in another language', () => {
  const german = `${TEXTS.de} ${TEXTS.de}`;
  assert.equal(languageOf('de-AT', german), 'de');
  assert.equal(languageOf('en', german), 'de');
  assert.equal(languageOf('EN-us', 'Guten Tag'), 'en');
  assert.equal(languageOf('ru', german), 'de');
  assert.equal(languageOf(null, german), 'de');
  assert.equal(languageOf('english', german), 'de');
  assert.equal(languageOf('nn', TEXTS.da as string), 'nn');
  // Latin, which has no model, and Serbian in Latin letters.
  assert.equal(languageOf('la', german), 'la');
  assert.equal(languageOf('sr', 'Sva ljudska bića rađaju se slobodna i jednaka u dostojanstvu i pravima.'), 'sr');
});
