/** Run by warc-writer.test.ts under a limit on file sizes: appends until refused, then once more, and says what happened. */
import { exchange, noise, writerIn } from './exchange.ts';

const writer = writerIn(process.argv[2]!);
let appended = 0;
let code = '';
try {
  for (let n = 0; n < 100; n++) {
    writer.append(exchange({ contentType: 'image/png', body: [noise(12_000, n)] }));
    writer.flush();
    appended++;
  }
} catch (error) {
  code = (error as { code: string }).code;
}
writer.append(exchange({ body: [Buffer.from('small')] }));
writer.flush();
const [file, lengthBytes] = [...writer.lengths][0]!;
await writer.close();
process.stdout.write(JSON.stringify({ code, appended, lengthBytes, file }));
