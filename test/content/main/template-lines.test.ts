import assert from 'node:assert/strict';
import { test } from 'node:test';
import { templateTest } from '../../../src/content/main/template-lines.ts';
import { Template } from '../../../src/content/template/template.ts';
import { BlockCollector } from '../../../src/page/html/text/collect-blocks.ts';
import { parsePage } from '../../../src/page/page.ts';
import { mainOf, sentences, wrap } from './sample-pages.ts';

const SLOGAN = 'We have written about the weather since 1904, and we will not stop. Thank you for reading all of it.';

function pageAbout(topic: string): string {
  const paragraphs = [
    `<p>${topic} has come to us, as the ${topic} of every year does. ${sentences(topic)} So much for ${topic}.</p>`,
    `<p>${SLOGAN}</p>`,
    `<p>${topic} is forecast for tomorrow as well. ${sentences(`other ${topic}`)} That was ${topic}.</p>`,
  ];
  return wrap(`<div class="story"><h1>About ${topic}</h1>${paragraphs.join('\n')}</div>`);
}

test('text that the host repeats on its pages is not content, once the template is learned', () => {
  const template = new Template();
  const words = new BlockCollector();
  let url = '';
  for (const topic of ['snow', 'ice', 'rain', 'wind', 'fog', 'hail', 'sleet', 'frost']) {
    url = `https://host.test/${topic}`;
    words.clear();
    parsePage(Buffer.from(pageAbout(topic)), 'text/html', url, {
      wantText: false,
      wantAnchors: false,
      maxLinks: 100,
      words,
    });
    template.learn(url, words);
  }
  const html = pageAbout('frost');
  const alone = mainOf(html);
  assert.ok(alone.text.includes(SLOGAN));
  const { marks } = template.judge(url, words);
  const known = mainOf(html, { isTemplate: templateTest(words.texts, marks) });
  assert.ok(!known.text.includes(SLOGAN));
  assert.ok(known.text.includes(sentences('frost')));
  assert.equal(known.blocks().find(({ text }) => text === SLOGAN)?.role, 'boilerplate');
});

test('lines are compared by their letters, and a line that is also own content is kept', () => {
  const isTemplate = templateTest(['Page 1 of 9', 'More', 'More', 'Own text'], Uint8Array.of(1, 1, 0, 0));
  assert.equal(isTemplate('Page  7 of 12'), true);
  assert.equal(isTemplate('More'), false);
  assert.equal(isTemplate('Own text'), false);
  assert.equal(isTemplate('12'), false);
});
