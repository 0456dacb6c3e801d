/** Writes the small documents of the tests: a PDF, and ZIP files with chosen entries. */
import { deflateRawSync, deflateSync } from 'node:zlib';

export interface PdfParts {
  lines?: readonly string[];
  /** The content stream of the page instead of the lines. */
  content?: Buffer;
  title?: string;
  link?: string;
  /** Entries that are added to the trailer. */
  trailer?: string;
}

export function makePdf({ lines = [], content, title, link, trailer = '' }: PdfParts): Buffer {
  const drawn = lines.map((line, at) => `BT /F1 12 Tf 50 ${700 - 14 * at} Td (${line}) Tj ET`).join('\n');
  const data = deflateSync(content ?? drawn, { level: 9 });
  const annotation =
    link && `/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (${link}) >> >>]`;
  const font = '/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>';
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /Lang (en-GB) >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] ${font} /Contents 4 0 R ${annotation ?? ''} >>`,
    `<< /Length ${data.length} /Filter /FlateDecode >>\nstream\n${data.toString('latin1')}\nendstream`,
    `<< /Title (${title ?? ''}) /Author (A. Writer) >>`,
  ];
  let pdf = '%PDF-1.7\n';
  const offsets = objects.map((object, at) => {
    const offset = pdf.length;
    pdf += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const table = `xref\n0 6\n0000000000 65535 f \n${rows}`;
  const end = `trailer\n<< /Size 6 /Root 1 0 R /Info 5 0 R ${trailer} >>\nstartxref\n${pdf.length}\n%%EOF\n`;
  return Buffer.from(pdf + table + end, 'latin1');
}

export function makeZip(entries: Readonly<Record<string, string | Buffer>>, flags = 0): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(entries)) {
    const data = deflateRawSync(content, { level: 9 });
    const local = Buffer.alloc(30 + name.length);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(8, 8);
    local.writeUInt16LE(name.length, 26);
    local.write(name, 30);
    const row = Buffer.alloc(46 + name.length);
    row.writeUInt32LE(0x02014b50, 0);
    row.writeUInt16LE(flags, 8);
    row.writeUInt16LE(8, 10);
    row.writeUInt32LE(data.length, 20);
    row.writeUInt16LE(name.length, 28);
    row.writeUInt32LE(at, 42);
    row.write(name, 46);
    parts.push(local, data);
    directory.push(row);
    at += local.length + data.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...directory, end]);
}
