import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeBody, encodingOfLabel } from '../../../src/page/encoding/charset.ts';
import { detectEncoding } from '../../../src/page/encoding/detect-encoding.ts';
import { charsetOfContentType, prescanMeta } from '../../../src/page/encoding/prescan.ts';
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
  ]) {
    assert.equal(charsetOfContentType(type), 'x', type);
  }
  for (const type of ['', 'a/b', 'a/b; charset', 'charset=x', 'a/b; charset="x'])
    assert.equal(charsetOfContentType(type), null, type);
});

test('meta prescan', () => {
  const cases: [string, string | null][] = [
    ['<meta charset=x>', 'x'],
    ['<META CHARSET="x"/>', 'x'],
    ["<meta\ncharset = ' x '>", 'x'],
    ['<meta http-equiv="Content-Type" content="text/html; charset=x">', 'x'],
    ['<meta content="text/html;charset=\'x\'" http-equiv=content-type>', 'x'],
    ['<meta name=description content="charset=x">', null],
    ['<!-- <meta charset=no> --><meta charset=x>', 'x'],
    ['<a title="<meta charset=no>"><meta charset=x>', 'x'],
    ['<metal charset=no>', null],
    ['<!DOCTYPE html><html><head><title>t</title></head><meta charset=x>', 'x'],
    [`${' '.repeat(1024)}<meta charset=x>`, null],
    ['<meta charset=x', 'x'],
    ['<<meta charset=x>', 'x'],
    ['', null],
  ];
  for (const [text, label] of cases) assert.equal(prescanMeta(Buffer.from(text)), label, text);
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
    assert.equal(detectEncoding(Buffer.from([0x81, 0xfe, 0x20, 0xff])), 'windows-1252'));
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
