import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePage } from '../../src/page/page.ts';
import { hrefs, readPage } from './read-page.ts';
import { urlsOfTree } from './tree-urls.ts';

const RAW = 'script style title textarea xmp iframe noembed noframes plaintext noscript'.split(' ');

/**
 * The elements of the HTML standard, obsolete ones, and those that change the rules in svg and math. Without select:
 * browsers read raw text in it since its rules were changed in 2025, and parse5 does not yet.
 */
const ELEMENTS = `a abbr acronym address annotation-xml applet area article aside audio b base basefont bdi bdo bgsound
  big blink blockquote body br button canvas caption center cite code col colgroup data datalist dd del desc details dfn
  dialog dir div dl dt em embed fieldset figcaption figure font footer foreignObject form frame frameset g h1 h2 h3 h4 h5
  h6 head header hgroup hr html i iframe image img input ins isindex kbd keygen label legend li link listing main map mark
  marquee math menu menuitem meta meter mi mn mo ms mtext multicol nav nextid nobr noembed noframes noscript object ol
  optgroup option output p param picture plaintext pre progress q rb rbc rp rt rtc ruby s samp script search section
  slot small source spacer span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead
  time title tr track tt u ul unknown-element var video wbr xmp`.split(/\s+/);

/** How the raw text element is written. `@` is a unique URL. */
const FORMS = {
  closed: (raw: string) => `<${raw}><a href=@>x</a></${raw}>`,
  unclosed: (raw: string) => `<${raw}>`,
  selfClosing: (raw: string) => `<${raw} src=@ />`,
  commented: (raw: string) => `<${raw}><!-- <a href=@>`,
};

const PLACES = {
  head: (markup: string) => `<!doctype html><head>${markup}</head><body><p>x</p>`,
  body: (markup: string) => `<!doctype html><head></head><body>${markup}`,
};

test('no link that a browser finds, with or without scripting, is lost behind any raw text inside any element', () => {
  const lost: string[] = [];
  let compared = 0;
  for (const element of ELEMENTS) {
    for (const raw of RAW) {
      for (const [form, write] of Object.entries(FORMS)) {
        for (const [place, surround] of Object.entries(PLACES)) {
          let count = 0;
          const inside = `<${element}>${write(raw)}</${element}>`;
          const html = `${surround(inside)}<frame src=@><a href=@>y</a><img src=@>`.replace(/@/g, () => `u${count++}`);
          const found = new Set(readPage(html).links.map((link) => link.href));
          // Scripting makes a difference only for noscript.
          for (const scriptingEnabled of html.includes('<noscript') ? [false, true] : [false]) {
            const urls = urlsOfTree(html, scriptingEnabled);
            compared += urls.length;
            if (urls.some((url) => !found.has(url))) lost.push(`${raw} ${form} in ${element} in ${place}: ${html}`);
          }
        }
      }
    }
  }
  assert.equal(lost.join('\n'), '');
  assert.ok(compared > 5_000, `only ${compared} links compared`);
});

test('in XHTML, an empty element ends with its tag, and no raw text follows', () => {
  for (const type of ['application/xhtml+xml', 'application/xml; charset=utf-8']) {
    for (const raw of RAW) {
      const html = `<html xmlns="http://www.w3.org/1999/xhtml"><head><${raw} /></head><body><a href="x">x</a></body></html>`;
      const page = parsePage(Buffer.from(html), type, 'http://site.test/', { wantText: false, maxLinks: 10 });
      assert.deepEqual(
        page.links.map((link) => link.href),
        ['x'],
        `${raw} in ${type}`,
      );
    }
  }
});

test('a tag or comment that a noscript leaves open ends with the noscript', () => {
  for (const open of [
    '<a href="no',
    '<!-- ',
    '<img src=no x=',
    '<a ',
    '<style>',
    '<script><!-- <script>',
    '<!x ',
    '<',
  ]) {
    assert.deepEqual(
      hrefs(`<noscript>${open}</noscript><a href="1">x</a><!-- --><a href='2'>`).slice(-2),
      ['1', '2'],
      open,
    );
  }
  assert.deepEqual(hrefs('<noscript><a href=1></a><img src=2></noscript><a href=3>'), ['1', '2', '3']);
  assert.deepEqual(hrefs('<noscript><noscript><iframe></noscript><a href=1></noscript><a href=2>'), ['1', '2']);
  assert.deepEqual(hrefs('<svg><noscript><style></noscript><a href=1></svg><a href=2>'), ['1', '2']);
});

test('noscripts, framesets and raw text without an end take linear time', () => {
  for (const part of ['<noscript><iframe></noscript>', '<noscript><!--</noscript>', '<noscript>', '<frameset><xmp>'])
    for (const tail of ['', '<noscript><script><!--</noscript>', '<noscript><a x="</noscript>']) {
      const started = process.cpuUsage().user;
      readPage((part + tail).repeat(300_000 / (part + tail).length));
      const seconds = (process.cpuUsage().user - started) / 1e6;
      assert.ok(seconds < 2, `${part}${tail}: ${seconds} s`);
    }
});
