import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { decodeBody } from '../../../src/page/encoding/charset.ts';
import { ENCODINGS, everyCode } from './every-code.ts';

/**
 * SHA-256 (24 digits) of every code of an encoding as Chromium 156 decodes it, each followed by a line feed, in UTF-16.
 * In Big5, Chromium has no characters for 8862, 8864, 88A3 and 88A5. Their four pairs of characters are those of the
 * encoding standard (12.1.1).
 */
const CHROMIUM: Record<string, string> = {
  ibm866: '3adf3bda6de6c68d4ddda8b5',
  'iso-8859-2': '8235c2ec27f3d67c97763e11',
  'iso-8859-3': 'c3d7bd1b754f72d6bdd0ac74',
  'iso-8859-4': '08626473e441af6646a1cb10',
  'iso-8859-5': 'b144d261c0e061772f6efb7a',
  'iso-8859-6': 'bcb6f231ba02c9db57245941',
  'iso-8859-7': '42c6fe67b04f3b9de9091d6f',
  'iso-8859-8': 'dc7b2e6e99df63d5bedb7812',
  'iso-8859-8-i': 'dc7b2e6e99df63d5bedb7812',
  'iso-8859-10': '4dd5d9409ba7b74186893900',
  'iso-8859-13': '3a0a90cef37da71a27a608f6',
  'iso-8859-14': '06b77385372c9e9b1b7aaf77',
  'iso-8859-15': 'e14ef70d5afbcf83bcf1bae0',
  'iso-8859-16': '59d1ab4eab91b1999dec2700',
  'koi8-r': '74905533d2a7440815265373',
  'koi8-u': 'f1f7601ce5fa767740f94bb4',
  macintosh: '87858bc5e9729f4c2e03e07c',
  'windows-874': 'ca1629eba88c08e8034f16c9',
  'windows-1250': '3ffa1e185a6595f5bc60a096',
  'windows-1251': '26067470e4fc6bcd35326ff1',
  'windows-1252': '94e2f8494a2525a7b3d25507',
  'windows-1253': '14039f095a47d03027dc04d1',
  'windows-1254': 'ffb420a8fe95346fdc9efede',
  'windows-1255': '7029104cbf4a856f9de5e94c',
  'windows-1256': '0760c0d2abe2ae7596d66319',
  'windows-1257': '2503ec1673fa883539b31a87',
  'windows-1258': 'bf19376d5405c7124eb481a3',
  'x-mac-cyrillic': '88584f97d80f85cb6f90004d',
  'x-user-defined': '655f2e2097a0711a9ce7bdd6',
  gbk: 'fac2116de37efe6596ef9f52',
  gb18030: 'fac2116de37efe6596ef9f52',
  big5: 'aafad14d2afca53ff7a28941',
  'euc-jp': '13570246a1bab4d21c75e469',
  'iso-2022-jp': '72b366de4d1204d8a506267f',
  shift_jis: '6fa1dde3ccfb6c547f0a306a',
  'euc-kr': '473051e1d566f61d866a1746',
};

test('every code of every encoding is decoded as in a browser', () => {
  for (const encoding of ENCODINGS) {
    const body = Buffer.from(everyCode(encoding).flatMap((code) => [...code, 10]));
    const { text, charset } = decodeBody(body, `text/html; charset=${encoding}`, 'html');
    assert.equal(charset, encoding);
    const hash = createHash('sha256').update(text, 'utf16le').digest('hex').slice(0, 24);
    assert.equal(hash, CHROMIUM[encoding], encoding);
  }
});

test('Korean and Chinese characters that Node does not know', () => {
  const decode = (hex: string, encoding: string) =>
    decodeBody(Buffer.from(hex, 'hex'), `text/plain; charset=${encoding}`, 'text').text;
  assert.equal(decode('8c63b9e6b0a2c7cf', 'ks_c_5601-1987'), '똠방각하');
  assert.equal(decode('8862', 'big5-hkscs'), '\u00ca\u0304');
  assert.equal(decode('a1c0', 'shift-jis'), '｡ﾀ');
});

test('the replacement encoding hides the content, as in a browser', () => {
  for (const label of ['replacement', 'HZ-GB-2312', 'iso-2022-kr', 'csISO2022KR', 'iso-2022-cn', 'ISO-2022-CN-EXT'])
    assert.deepEqual(decodeBody(Buffer.from('<a href=x>'), `text/html; charset=${label}`, 'html'), {
      text: '\ufffd',
      charset: 'replacement',
    });
});
