/**
 * Encodes text in a legacy encoding. Node can only decode these encodings, so every sequence of one or two
 * bytes is decoded and the table is inverted.
 */
export function encodeLegacy(text: string, encoding: string): Buffer {
  const table = tableOf(encoding);
  return Buffer.concat(
    Array.from(text, (letter) => {
      const bytes = letter.charCodeAt(0) < 128 ? Buffer.from(letter) : table.get(letter);
      if (bytes === undefined) throw new Error(`${encoding} has no ${letter}`);
      return bytes;
    }),
  );
}

const tables = new Map<string, Map<string, Buffer>>();

function tableOf(encoding: string): Map<string, Buffer> {
  let table = tables.get(encoding);
  if (table !== undefined) return table;
  table = new Map();
  const decoder = new TextDecoder(encoding);
  for (let first = 128; first < 256; first++) {
    remember(table, decoder, [first]);
    for (let second = 64; second < 256; second++) remember(table, decoder, [first, second]);
  }
  tables.set(encoding, table);
  return table;
}

function remember(table: Map<string, Buffer>, decoder: InstanceType<typeof TextDecoder>, bytes: number[]): void {
  const text = decoder.decode(Buffer.from(bytes));
  if (Array.from(text).length === 1 && text !== '\ufffd' && !table.has(text)) table.set(text, Buffer.from(bytes));
}
