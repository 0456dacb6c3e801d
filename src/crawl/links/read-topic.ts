/** Reads the topic of a crawl, from the words of the user or from example pages (a file or a folder of files). */
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { OrbweaverError } from '../../core/errors.ts';
import type { CrawlOptions } from '../../core/options/options.ts';
import { type Topic, topicFromExamples, topicFromWords } from '../../frontier/topic/topic.ts';
import { parsePage } from '../../page/page.ts';

/** More examples do not make a topic clearer. */
const MAX_EXAMPLES = 1_000;
const MAX_EXAMPLE_BYTES = 5_000_000;

export async function readTopic({ topic: words, topicExamples }: CrawlOptions): Promise<Topic | null> {
  if (words !== null && topicExamples !== null) {
    throw new OrbweaverError('ERR_BAD_OPTION', '--topic and --topic-examples cannot be combined; use one of them');
  }
  if (words !== null) return orRefuse(topicFromWords(words), `--topic "${words}" has no words`);
  if (topicExamples === null) return null;
  return orRefuse(
    topicFromExamples(await readExamples(topicExamples)),
    `--topic-examples ${topicExamples} has no text`,
  );
}

function orRefuse(topic: Topic | null, message: string): Topic {
  if (topic === null) throw new OrbweaverError('ERR_BAD_OPTION', message);
  return topic;
}

async function readExamples(path: string): Promise<string[]> {
  try {
    const files = (await stat(path)).isDirectory() ? await filesIn(path) : [path];
    return await Promise.all(files.map(readExample));
  } catch (error) {
    const message = `--topic-examples: cannot read ${path}; name a file, or a folder of files`;
    throw new OrbweaverError('ERR_BAD_OPTION', message, { cause: error });
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  return names
    .sort()
    .slice(0, MAX_EXAMPLES)
    .map((name) => join(folder, name));
}

async function readExample(path: string): Promise<string> {
  const bytes = (await readFile(path)).subarray(0, MAX_EXAMPLE_BYTES);
  const isHtml = /^\.x?html?$/.test(extname(path).toLowerCase()) || bytes.subarray(0, 1_000).includes('<html');
  if (!isHtml) return bytes.toString('utf8');
  const page = parsePage(bytes, 'text/html', 'file:///', { wantText: true, maxLinks: 1 });
  return `${page.title}\n${page.text}`;
}
