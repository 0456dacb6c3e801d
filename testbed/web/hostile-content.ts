import { gzipSync } from 'node:zlib';
import type { Behaviour } from './local-web.ts';

const MEGABYTE = 1024 * 1024;

/** Correct HTTP with a hostile body. */
export const CONTENT_BEHAVIOURS = {
  /** 1 GB of zeros in about 1 MB. */
  GzipBomb: (): Behaviour => {
    // Consecutive members are one gzip file (RFC 1952 §2.2), and a hundred small
    // bombs are faster to make than a large one.
    let bomb: Buffer | null = null;
    return ({ response }) => {
      bomb ??= Buffer.concat(new Array(100).fill(gzipSync(Buffer.alloc(10 * MEGABYTE))));
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(bomb);
    };
  },

  NonsenseCharset: (): Behaviour =>
    content('<meta charset="klingon"><title>\xe9\xe8</title><p>text', 'text/html; charset="x-no-such"; charset'),

  DeepDivs: (): Behaviour => repeated('<div>', 10 * MEGABYTE, 'text/html'),

  NulBytes: (): Behaviour => content('<p>a\0b</p><a href="/n\0ul">n\0</a>\0\0\0<title>\0t</title>', 'text/html'),

  MillionLinks:
    (): Behaviour =>
    ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      let next = 0;
      const pump = (): void => {
        while (next < 1_000_000 && !response.destroyed) {
          const part = Array.from({ length: 1_000 }, (_, i) => `<a href="/l/${next + i}">l</a>\n`).join('');
          next += 1_000;
          if (!response.write(part)) return;
        }
        response.end();
      };
      response.on('drain', pump);
      pump();
    },

  /** For /robots.txt: 50 MB of rules. */
  HugeRobots: (): Behaviour => repeated('User-agent: *\nDisallow: /private/\n', 50 * MEGABYTE, 'text/plain'),
} as const;

function content(text: string, type: string): Behaviour {
  return ({ response }) => {
    response.writeHead(200, { 'content-type': type }).end(Buffer.from(text, 'latin1'));
  };
}

/** Repeats a text, produced as fast as the client reads it. */
function repeated(text: string, bytes: number, type: string): Behaviour {
  return ({ response }) => {
    const chunk = Buffer.from(text.repeat(Math.ceil((64 * 1024) / text.length)));
    response.writeHead(200, { 'content-type': type });
    let left = bytes;
    const pump = (): void => {
      while (left > 0 && !response.destroyed) {
        const part = chunk.subarray(0, left);
        left -= part.length;
        if (!response.write(part)) return;
      }
      response.end();
    };
    response.on('drain', pump);
    pump();
  };
}
