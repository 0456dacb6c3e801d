/** The binary files of the demo web: a drawn web as a PNG, and a leaflet as a PDF. */
import { crc32, deflateSync } from 'node:zlib';
import { Prose } from './prose.ts';
import type { Answer } from './site.ts';

const SIDE = 120;

/**
 * An orb web in two colours. The name determines the number of spokes and the distance between the turns of the spiral.
 */
export function webPicture(name: string): Answer {
  const prose = new Prose(name);
  const spokes = 9 + prose.number(12);
  const gap = 5 + prose.number(5);
  const turn = prose.number(100) / 100;
  const rows: Buffer[] = [];
  for (let y = 0; y < SIDE; y++) {
    const row = Buffer.alloc(1 + SIDE);
    for (let x = 0; x < SIDE; x++) row[1 + x] = onThread(x - SIDE / 2, y - SIDE / 2, spokes, gap, turn) ? 1 : 0;
    rows.push(row);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(SIDE, 0);
  head.writeUInt32BE(SIDE, 4);
  head.set([8, 3], 8);
  const body = Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from([0x24, 0x32, 0x2e, 0xe8, 0xee, 0xe4])),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  return { status: 200, headers: { 'content-type': 'image/png' }, body };
}

function onThread(x: number, y: number, spokes: number, gap: number, turn: number): boolean {
  const radius = Math.hypot(x, y);
  if (radius > SIDE / 2 - 4) return false;
  const part = (Math.atan2(y, x) / (2 * Math.PI) + 1) % 1;
  const toSpoke = Math.abs(((part * spokes + turn) % 1) - 0.5);
  if ((0.5 - toSpoke) * ((2 * Math.PI * radius) / spokes) < 0.7) return true;
  // The spiral moves outwards by one gap per turn, and sags a little between two spokes, as silk does.
  const sag = (0.5 - toSpoke) * gap * 0.6;
  return radius > 8 && (radius + sag + part * gap) % gap < 1;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(8 + named.length);
  out.writeUInt32BE(data.length, 0);
  named.copy(out, 4);
  out.writeUInt32BE(crc32(named), 4 + named.length);
  return out;
}

/** One page with one line of text: the smallest PDF that still opens. */
export function leaflet(line: string): Answer {
  const stream = `BT /F 20 Tf 60 760 Td (${line.replace(/[\\()]/g, '\\$&')}) Tj ET`;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    `<</Length ${stream.length}>>\nstream\n${stream}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>',
  ];
  let text = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n';
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(text.length);
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const xref = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  text += `xref\n0 ${size}\n0000000000 65535 f \n${xref}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`;
  return { status: 200, headers: { 'content-type': 'application/pdf' }, body: Buffer.from(text, 'latin1') };
}
