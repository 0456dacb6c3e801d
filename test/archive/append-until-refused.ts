/**
 * Run by warc-writer.test.ts under a limit on file sizes. Appends until a write is refused, then tries every call once
 * more with a page that would still fit, and prints the results.
 */
import { exchange, noise, writerIn } from './exchange.ts';

const writer = writerIn(process.argv[2]!);
let appended = 0;
let written: ReadonlyMap<string, number> = new Map();

async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return '';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const codes = {
  write: await codeOf(() => {
    for (let n = 0; n < 100; n++) {
      writer.append(exchange({ contentType: 'image/png', body: [noise(12_000, n)] }));
      written = writer.flush();
      appended++;
    }
  }),
  append: await codeOf(() => writer.append(exchange({ body: [Buffer.from('small')] }))),
  flush: await codeOf(() => writer.flush()),
  sync: await codeOf(() => writer.sync()),
};
await codeOf(() => writer.close());
const [file, lengthBytes] = [...written][0]!;
process.stdout.write(JSON.stringify({ codes, appended, lengthBytes, file }));
