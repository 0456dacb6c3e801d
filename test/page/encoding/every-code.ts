/** Every code of every encoding, as bytes: the input of the comparison with Chromium. */

const SINGLE_BYTE = `ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i
  iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u macintosh windows-874 windows-1250
  windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258
  x-mac-cyrillic x-user-defined`.split(/\s+/);
const MULTI_BYTE = 'gbk gb18030 big5 euc-jp iso-2022-jp shift_jis euc-kr'.split(' ');
export const ENCODINGS = [...SINGLE_BYTE, ...MULTI_BYTE];

export function everyCode(encoding: string): number[][] {
  const codes = Array.from({ length: 256 }, (_, byte) => [byte]);
  if (SINGLE_BYTE.includes(encoding)) return codes;
  const isIso = encoding === 'iso-2022-jp';
  const [first, last] = isIso ? [0x20, 0x7f] : [0x80, 0xff];
  for (let lead = first; lead <= last; lead++) {
    for (let trail = isIso ? 0x20 : 0; trail <= last; trail++) {
      codes.push(isIso ? [0x1b, 0x24, 0x42, lead, trail, 0x1b, 0x28, 0x42] : [lead, trail]);
      if (encoding === 'euc-jp' && trail >= 0xa0 && lead >= 0xa0) codes.push([0x8f, lead, trail]);
    }
  }
  if (encoding.startsWith('gb')) {
    for (let code = 0; code < 1_260_000; code += code < 45_000 ? 1 : 211) {
      const low = Math.floor(code / 10);
      const high = Math.floor(low / 126);
      codes.push([0x81 + Math.floor(high / 10), 0x30 + (high % 10), 0x81 + (low % 126), 0x30 + (code % 10)]);
    }
  }
  return codes;
}
