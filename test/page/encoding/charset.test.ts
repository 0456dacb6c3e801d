import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeBody } from '../../../src/page/encoding/charset.ts';
import { detectEncoding } from '../../../src/page/encoding/detect/detect-encoding.ts';
import { charsetOfContentType, encodingOfLabel } from '../../../src/page/encoding/labels.ts';
import { prescanMeta } from '../../../src/page/encoding/prescan.ts';
import { encodeLegacy } from '../encode-legacy.ts';

const html = (body: Buffer | string, contentType = 'text/html') =>
  decodeBody(Buffer.from(body as Buffer), contentType, 'html');

describe('order', () => {
  test('a byte order mark wins over all and is not part of the text', () => {
    const body = Buffer.from('\ufeff<meta charset=shift_jis>é');
    assert.deepEqual(html(body, 'text/html; charset=windows-1251'), {
      text: '<meta charset=shift_jis>é',
      charset: 'utf-8',
    });
    assert.deepEqual(html(Buffer.from('\ufeffé', 'utf16le')), { text: 'é', charset: 'utf-16le' });
    assert.deepEqual(html(Buffer.from([0xfe, 0xff, 0, 0xe9])), { text: 'é', charset: 'utf-16be' });
  });
  test('the header wins over the meta', () => {
    assert.equal(
      html(Buffer.from('<meta charset=utf-8>\xe9', 'latin1'), 'text/html; charset=ISO-8859-1').charset,
      'windows-1252',
    );
  });
  test('the meta wins over detection', () => {
    assert.equal(html(Buffer.from('<meta charset=windows-1251>é')).charset, 'windows-1251');
  });
  test('the XML declaration counts in XML, and in HTML where there is no meta', () => {
    const body = Buffer.from('<?xml version="1.0" encoding="koi8-r"?><a/>');
    assert.equal(decodeBody(body, '', 'xml').charset, 'koi8-r');
    assert.equal(html(body).charset, 'koi8-r');
    assert.equal(html('<?xml version="1.0" encoding="koi8-r"?><meta charset=euc-jp>').charset, 'euc-jp');
  });
  test('an unknown label is ignored', () => {
    assert.equal(html('<meta charset=klingon>é', 'text/html; charset=none').charset, 'utf-8');
    assert.equal(html('<meta charset=euc-kr>', 'text/html; charset="utf-99"').charset, 'euc-kr');
    assert.equal(encodingOfLabel('x'.repeat(10_000)), null);
  });
  test('utf-16 in a meta means utf-8, x-user-defined windows-1252', () => {
    assert.equal(html('<meta charset=utf-16le>é').charset, 'utf-8');
    assert.equal(html('<meta charset=x-user-defined>').charset, 'windows-1252');
  });
  test('UTF-16 without a byte order mark is recognised by its XML declaration', () => {
    const text = '<?xml version="1.0"?><a>é</a>';
    assert.deepEqual(decodeBody(Buffer.from(text, 'utf16le'), '', 'xml'), { text, charset: 'utf-16le' });
  });
});

test('charset of a Content-Type in every spelling', () => {
  for (const type of [
    'a/b;charset=x',
    'a/b; Charset="x"',
    "a/b; q=1; charset = 'x'",
    'a/b; charset=x; y=z',
    'a/b;;charset=x',
    'a/b; charset="x',
    'a/b; charset; charset=x',
  ]) {
    assert.equal(charsetOfContentType(type), 'x', type);
  }
  for (const type of ['', 'a/b', 'a/b; charset', 'charset=x']) assert.equal(charsetOfContentType(type), null, type);
});

test('every way to declare an encoding, with labels in any case and by any of their names', () => {
  const labels: [string, string][] = [
    ['Latin1', 'windows-1252'],
    ['US-ASCII', 'windows-1252'],
    ['CP1251', 'windows-1251'],
    ['l2', 'iso-8859-2'],
    ['ISO_8859-5:1988', 'iso-8859-5'],
    ['logical', 'iso-8859-8-i'],
    ['ISO-8859-9', 'windows-1254'],
    ['TIS-620', 'windows-874'],
    ['KOI', 'koi8-r'],
    ['866', 'ibm866'],
    ['x-mac-ukrainian', 'x-mac-cyrillic'],
    ['GB2312', 'gbk'],
    ['x-x-big5', 'big5'],
    ['Windows-31J', 'shift_jis'],
    ['KS_C_5601-1987', 'euc-kr'],
    ['unicode-1-1-utf-8', 'utf-8'],
  ];
  for (const [label, encoding] of labels) {
    for (const spelled of [label, label.toUpperCase(), label.toLowerCase()]) {
      for (const value of [spelled, `"${spelled}"`, `'${spelled}'`, `" ${spelled} "`])
        assert.equal(html('\xe9', `text/html;charset=${value}`).charset, encoding, value);
      for (const markup of [
        `<meta charset="${spelled}">`,
        `<MetA  CharSet = ${spelled}>`,
        `<meta http-equiv='content-type' content='text/html; charset=${spelled}'>`,
        `<meta content="text/html; charset='${spelled}'" http-equiv=Content-Type>`,
        `<?xml version="1.0" encoding='${spelled}' ?><html>`,
      ])
        assert.equal(html(markup).charset, encoding, markup);
      assert.equal(
        decodeBody(Buffer.from(`<?xml version='1.0' encoding = "${spelled}"?><a/>`), '', 'xml').charset,
        encoding,
      );
    }
  }
});

test('meta prescan', () => {
  const cases: [string, string | null][] = [
    ['<meta charset=koi8-r>', 'koi8-r'],
    ['<META CHARSET="KOI8-R"/>', 'koi8-r'],
    ["<meta\ncharset = ' koi '>", 'koi8-r'],
    ['<meta/charset=koi8>', 'koi8-r'],
    ['<meta x=y charset=koi8-r charset=utf-8>', 'koi8-r'],
    ['<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">', 'koi8-r'],
    ['<meta content="text/html;charset=\'koi8-r\'" http-equiv=content-type>', 'koi8-r'],
    ['<meta content="charset charset = koi8-r; x" http-equiv=CONTENT-TYPE>', 'koi8-r'],
    ['<meta http-equiv=content-type content="text/html; charset=koi8-r" charset=utf-8>', 'utf-8'],
    ['<meta http-equiv=content-type content="text/html; charset=\'koi8-r">', null],
    ['<meta name=description content="charset=koi8-r">', null],
    ['<meta charset=klingon><meta charset=koi8-r>', 'koi8-r'],
    ['<!-- <meta charset=utf-8> --><meta charset=koi8-r>', 'koi8-r'],
    ['<!--><meta charset=koi8-r>', 'koi8-r'],
    ['<a title="<meta charset=utf-8>"><meta charset=koi8-r>', 'koi8-r'],
    ['<? <meta charset=utf-8><meta charset=koi8-r>', 'koi8-r'],
    ['<metal charset=koi8-r>', null],
    ['</meta charset=koi8-r>', null],
    ['<!DOCTYPE html><html><head><title>t</title></head><meta charset=koi8-r>', 'koi8-r'],
    [`${' '.repeat(1024)}<meta charset=koi8-r>`, null],
    ['<meta charset=koi8-r', null],
    ['<meta charset=koi8-r x=">', null],
    ['<<meta charset=koi8-r>', 'koi8-r'],
    ['', null],
  ];
  for (const [text, label] of cases) assert.equal(prescanMeta(Buffer.from(text)), label, text);
});

test('a meta behind the first 1,024 bytes counts if nothing else declares an encoding', () => {
  const late = (markup: string, before = '<title>x</title>') =>
    Buffer.from(before + ' '.repeat(1024) + markup, 'latin1');
  assert.equal(html(late('<meta charset=windows-1251>\xcf')).charset, 'windows-1251');
  assert.equal(html(late('<META HTTP-EQUIV=Content-Type CONTENT="text/html; CHARSET=KOI8-R">')).charset, 'koi8-r');
  assert.equal(html(late('<meta charset=koi8-r>'), 'text/html; charset=utf-8').charset, 'utf-8');
  assert.equal(html(late('<meta charset=koi8-r>', '<?xml version="1.0" encoding="euc-jp"?>')).charset, 'euc-jp');
  assert.equal(html(late('<meta charset=koi8-r>', '<meta charset=big5>')).charset, 'big5');
  for (const text of [
    '<script>"<meta charset=koi8-r>"</script>',
    '<!-- <meta charset=koi8-r> -->',
    '<title><meta charset=koi8-r>',
  ])
    assert.equal(html(late(text)).charset, 'utf-8', text);
});

test('a prescan of the whole document takes linear time', () => {
  for (const part of ['<a x="', '<!--', '<script>', '<meta content="charset', "<a '", '<', '<title></', '<a b=']) {
    const started = process.cpuUsage().user;
    html(Buffer.from(`${part.repeat(200_000 / part.length)}<meta charset`));
    const seconds = (process.cpuUsage().user - started) / 1e6;
    assert.ok(seconds < 2, `${part}: ${seconds} s`);
  }
});

describe('detection on real sentences', () => {
  const sentences: [string, string, string][] = [
    ['shift_jis', 'Japanese', '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。'],
    ['euc-jp', 'Japanese', '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。'],
    ['shift_jis', 'Japanese in katakana', 'ニュース・スポーツ・エンターテインメントのトップページへようこそ'],
    ['euc-jp', 'Japanese in katakana', 'ニュース・スポーツ・エンターテインメントのトップページへようこそ'],
    [
      'gb18030',
      'simplified Chinese',
      '人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。',
    ],
    [
      'big5',
      'traditional Chinese',
      '人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。',
    ],
    [
      'euc-kr',
      'Korean',
      '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았다.',
    ],
    [
      'windows-1251',
      'Russian',
      'Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.',
    ],
    [
      'koi8-r',
      'Russian',
      'Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.',
    ],
    [
      'windows-1251',
      'Bulgarian',
      'Всички хора се раждат свободни и равни по достойнство и права. Те са надарени с разум и съвест.',
    ],
    ['windows-1253', 'Greek', 'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.'],
    ['windows-1255', 'Hebrew', 'כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון.'],
    ['windows-874', 'Thai', 'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ'],
    [
      'windows-1252',
      'French',
      'Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison; à côté, où, ça.',
    ],
    [
      'windows-1252',
      'German',
      'Alle Menschen sind frei und gleich an Würde und Rechten geboren. Größe, Öl, Übermut, Äpfel und Straße.',
    ],
    [
      'windows-1252',
      'Spanish',
      'Todos los seres humanos nacen libres e iguales en dignidad; año, niño, corazón, ¿qué? ¡también! él está aquí.',
    ],
    ['windows-1250', 'Polish', 'Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.'],
    ['iso-8859-2', 'Polish', 'Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.'],
    ['windows-1250', 'Czech', 'Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Ještě žádná.'],
    ['iso-8859-5', 'Russian', 'Все люди рождаются свободными и равными в своем достоинстве и правах.'],
    ['ibm866', 'Russian', 'Все люди рождаются свободными и равными в своем достоинстве и правах.'],
    ['x-mac-cyrillic', 'Russian', 'Все люди рождаются свободными. Я пришла домой, твоя семья, Россия и Азия.'],
    ['koi8-u', 'Ukrainian', 'Всі люди народжуються вільними і рівними у своїй гідності та правах. Її єдність.'],
    ['iso-8859-7', 'Greek', 'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι. Άνθρωπος, Άρης, Άννα και Άγιος.'],
    [
      'windows-1254',
      'Turkish',
      'Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler.',
    ],
    ['windows-1256', 'Arabic', 'يولد جميع الناس أحرارا متساوين في الكرامة والحقوق وقد وهبوا عقلا وضميرا'],
    ['iso-8859-6', 'Arabic', 'يولد جميع الناس أحرارا متساوين في الكرامة والحقوق وقد وهبوا عقلا وضميرا'],
    [
      'windows-1257',
      'Lithuanian',
      'Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jiems suteiktas protas ir sąžinė.',
    ],
    [
      'windows-1258',
      'Vietnamese',
      'Tất cả mọi ngươ\u0300i sinh ra đê\u0300u được tự do'
        .normalize('NFD')
        .replace(/[aeo][\u0302\u0306]|[ou]\u031b/g, (letter) => letter.normalize('NFC')),
    ],
    ['windows-1252', 'Portuguese', 'Conteúdo: não há informação. Túnel'],
    ['windows-1252', 'Italian', 'La libertà è più bella perché c’è la città; così è, né può più'],
    ['windows-1252', 'Swedish', 'Alla människor är födda fria och lika i värde och rättigheter. Å, ö, på ån.'],
  ];
  for (const [encoding, language, sentence] of sentences) {
    test(`${language} in ${encoding}`, () => {
      const page = `<html><title>${sentence}</title><body class="x"><p>${sentence}</p></body></html>`;
      assert.equal(detectEncoding(encodeLegacy(page, encoding)), encoding);
      assert.equal(detectEncoding(Buffer.from(page)), 'utf-8');
    });
  }
  test('ISO-2022-JP by its escapes', () => assert.equal(detectEncoding(Buffer.from('x\x1b$B0!\x1b(B')), 'iso-2022-jp'));
  test('UTF-8 with one wrong byte stays UTF-8', () => {
    const body = Buffer.concat([Buffer.from('größer als Äpfel für '.repeat(20)), Buffer.from([0xff])]);
    assert.equal(detectEncoding(body), 'utf-8');
  });
  test('without any hint, the encoding is windows-1252', () =>
    assert.equal(detectEncoding(Buffer.from('\xa9 2026 \xab x \xbb', 'latin1')), 'windows-1252'));
  test('UTF-16 and UTF-32 without a byte order mark', () => {
    const page = '<p>中文 Text</p>';
    const codes = Array.from(page, (character) => character.codePointAt(0) as number);
    assert.equal(detectEncoding(Buffer.from(page, 'utf16le')), 'utf-16le');
    assert.equal(detectEncoding(Buffer.from(page, 'utf16le').swap16()), 'utf-16be');
    const wide = Buffer.from(Uint32Array.from(codes).buffer);
    assert.equal(detectEncoding(wide), 'utf-32le');
    assert.deepEqual(html(Buffer.concat([Buffer.of(255, 254, 0, 0), wide])), { text: page, charset: 'utf-32le' });
    assert.equal(detectEncoding(wide.swap32()), 'utf-32be');
    assert.deepEqual(html(Buffer.concat([Buffer.of(0, 0, 254, 255), wide])), { text: page, charset: 'utf-32be' });
  });
});

test('every label of the encoding standard that Node knows decodes random bytes without a throw', () => {
  const bytes = Buffer.from(Array.from({ length: 512 }, (_, at) => (at * 167) & 255));
  for (const label of [
    'utf-8',
    'ibm866',
    'iso-8859-2',
    'iso-8859-8-i',
    'koi8-u',
    'macintosh',
    'windows-874',
    'x-mac-cyrillic',
    'gbk',
    'big5',
    'euc-jp',
    'iso-2022-jp',
    'shift_jis',
    'euc-kr',
    'utf-16be',
    'utf-16le',
    'x-user-defined',
    'replacement',
    'hz-gb-2312',
  ]) {
    assert.equal(typeof html(bytes, `text/html; charset=${label}`).text, 'string', label);
  }
});
