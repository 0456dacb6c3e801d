import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { DocumentContent } from '../../src/documents/document-content.ts';
import { closeDocuments, readDocument } from '../../src/documents/read-document.ts';
import { makePdf, makeZip } from './make-documents.ts';

const URL_OF_DOCUMENT = 'https://site.example/files/report';

after(closeDocuments);

async function contentOf(bytes: Uint8Array, contentType = ''): Promise<DocumentContent> {
  const answer = await readDocument(bytes, contentType, URL_OF_DOCUMENT);
  assert.ok(!('reason' in answer), JSON.stringify(answer));
  return answer;
}

async function reasonOf(bytes: Uint8Array, contentType = ''): Promise<string> {
  const answer = await readDocument(bytes, contentType, URL_OF_DOCUMENT);
  return 'reason' in answer ? answer.reason : 'content';
}

test('a PDF has text, title, author, language, links and pages, and a hyphenated word is joined', async () => {
  const bytes = makePdf({ lines: ['A wonder-', 'ful day'], title: 'Days', link: 'https://other.example/a' });
  assert.deepEqual(await contentOf(bytes, 'application/pdf'), {
    text: 'A wonderful\nday',
    title: 'Days',
    author: 'A. Writer',
    language: 'en-GB',
    links: ['https://other.example/a'],
    pages: 1,
    isPartial: false,
  });
  assert.equal(bytes.byteLength > 0, true);
});

test('a relative link of a PDF is resolved against its URL, and a script is no link', async () => {
  const links = async (link: string): Promise<readonly string[]> =>
    (await contentOf(makePdf({ lines: ['a'], link }))).links;
  assert.deepEqual(await links('../other.html'), ['https://site.example/other.html']);
  assert.deepEqual(await links('javascript:alert'), []);
});

test('the content of DOCX: paragraphs, both kinds of links, properties, no deleted text', async () => {
  const zip = makeZip({
    'word/document.xml':
      '<w:document><w:p><w:r><w:t>One &amp; </w:t></w:r><w:hyperlink r:id="r1"><w:t>two</w:t></w:hyperlink></w:p>' +
      '<w:p><w:del><w:delText>gone</w:delText></w:del><w:instrText> HYPERLINK "https://b.example/" </w:instrText>' +
      '<w:t>three</w:t></w:p></w:document>',
    'word/_rels/document.xml.rels':
      '<Relationships><Relationship Id="r1" Target="https://a.example/" TargetMode="External"/></Relationships>',
    'docProps/core.xml': '<p><dc:title>Title</dc:title><dc:creator>Ann</dc:creator></p>',
    'docProps/app.xml': '<Properties><Pages>3</Pages></Properties>',
    'word/styles.xml': '<w:styles><w:docDefaults><w:lang w:val="de-DE"/></w:docDefaults></w:styles>',
  });
  const { isPartial: _, ...content } = await contentOf(zip);
  assert.deepEqual(content, {
    text: 'One & two\nthree',
    title: 'Title',
    author: 'Ann',
    language: 'de-DE',
    links: ['https://a.example/', 'https://b.example/'],
    pages: 3,
  });
});

test('the content of ODT', async () => {
  const zip = makeZip({
    'META-INF/manifest.xml': '<manifest/>',
    'content.xml':
      '<office:body><text:h>Head</text:h><text:p>a<text:s text:c="2"/>b <text:a xlink:href="https://a.example/">c</text:a>' +
      '<office:annotation><text:p>note</text:p></office:annotation></text:p></office:body>',
    'meta.xml':
      '<m><dc:title>T</dc:title><meta:initial-creator>Bo</meta:initial-creator><dc:language>fr</dc:language>' +
      '<meta:document-statistic meta:page-count="2"/></m>',
  });
  const { text, title, author, language, links, pages } = await contentOf(zip);
  assert.deepEqual(
    [text, title, author, language, links, pages],
    ['Head\na b c', 'T', 'Bo', 'fr', ['https://a.example/'], 2],
  );
});

test('an EPUB is read in the order of its spine', async () => {
  const zip = makeZip({
    'META-INF/container.xml': '<container><rootfile full-path="OPS/book.opf"/></container>',
    'OPS/book.opf':
      '<package><dc:title>Book</dc:title><dc:language>it</dc:language><item id="a" href="a.xhtml"/>' +
      '<item id="b" href="b.xhtml"/><spine><itemref idref="b"/><itemref idref="a"/></spine></package>',
    'OPS/a.xhtml': '<html><head><title>no</title></head><body><p>second <b>part</b></p></body></html>',
    'OPS/b.xhtml': '<html><body><h1>first</h1><a href="https://a.example/x">x</a><a href="a.xhtml">y</a></body></html>',
  });
  const { text, title, language, links } = await contentOf(zip);
  assert.deepEqual([text, title, language, links], ['first\nxy\nsecond part', 'Book', 'it', ['https://a.example/x']]);
});

test('RTF: code pages, Unicode, fields; tables of fonts are not text', async () => {
  const rtf =
    "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}{\\info{\\title Caf\\'e9}{\\author Al}}" +
    'na\\u239?ve {\\field{\\*\\fldinst HYPERLINK "https://a.example/"}{\\fldrslt link}}\\par two}';
  const { text, title, author, links } = await contentOf(Buffer.from(rtf, 'latin1'));
  assert.deepEqual([text, title, author, links], ['naïve link\ntwo', 'Café', 'Al', ['https://a.example/']]);
});

test('the notes of ODT and RTF come after the text', async () => {
  const note =
    '<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>the note</text:p></text:note-body></text:note>';
  const zip = makeZip({
    'META-INF/manifest.xml': '<m/>',
    'content.xml': `<text:p>one${note} more.</text:p><text:p>end</text:p>`,
  });
  assert.equal((await contentOf(zip)).text, 'one more.\nend\nthe note');
  const rtf = '{\\rtf1 one{\\super\\chftn{\\*\\footnote\\chftn \\pard {\\b the} note\\par}} more.\\par end}';
  assert.equal((await contentOf(Buffer.from(rtf))).text, 'one more.\nend\nthe note');
});

test('the cells of a nested table in RTF are apart, and the text for programs that cannot read them is left out', async () => {
  const rtf =
    '{\\rtf1 \\intbl\\itap2 a\\nestcell b\\nestcell{\\*\\nesttableprops\\nestrow}{\\nonesttables\\par no}c\\cell\\row end}';
  assert.equal((await contentOf(Buffer.from(rtf))).text, 'a b\nc\nend');
});

test('a large first letter in DOCX is part of its word', async () => {
  const zip = makeZip({
    'word/document.xml':
      '<w:p><w:pPr><w:framePr w:dropCap="drop"/></w:pPr><w:t>D</w:t></w:p><w:p><w:t>rop cap.</w:t></w:p><w:p><w:t>Next</w:t></w:p>',
  });
  assert.equal((await contentOf(zip)).text, 'Drop cap.\nNext');
});

test('a DOCX whose body has another name is read', async () => {
  const relation = '<r><Relationship Type="http://x/officeDocument" Target="/word/document2.xml"/></r>';
  const zip = makeZip({ '_rels/.rels': relation, 'word/document2.xml': '<w:p><w:t>a</w:t></w:p>' });
  assert.equal((await contentOf(zip)).text, 'a');
});

test('plain text is read only if it is declared, in UTF-8, the declared charset or windows-1252', async () => {
  assert.equal((await contentOf(Buffer.from('für\r\nalle'), 'text/plain')).text, 'für\nalle');
  assert.equal((await contentOf(Buffer.from('f\xfcr', 'latin1'), 'text/plain')).text, 'für');
  const russian = Buffer.from([0xc4, 0xc1]);
  assert.equal((await contentOf(russian, 'text/plain; charset=koi8-r')).text, 'да');
  assert.equal(await reasonOf(Buffer.from('text'), 'image/png'), 'not-a-document');
});

test('hostile documents end with one reason each, and the next document is read', async () => {
  const zipBomb = makeZip({ 'word/document.xml': Buffer.alloc(40 << 20, 'a') });
  assert.equal(await reasonOf(zipBomb), 'too-large');
  const good = makeZip({ 'word/document.xml': '<w:p><w:t>a</w:t></w:p>' });
  assert.equal(await reasonOf(makeZip({ 'word/document.xml': 'a' }, 1)), 'encrypted');
  assert.equal(await reasonOf(good.subarray(0, good.length - 30)), 'damaged');
  assert.equal(await reasonOf(makeZip({ 'a.txt': 'a' })), 'not-a-document');
  assert.equal(await reasonOf(Buffer.from('%PDF-1.7\nnothing')), 'damaged');
  assert.equal(await reasonOf(Buffer.alloc(0)), 'not-a-document');
  assert.equal(await reasonOf(Buffer.alloc(51 << 20)), 'too-large');
  const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >> /ID [<01> <01>]`;
  assert.equal(await reasonOf(makePdf({ lines: ['a'], trailer: encrypt })), 'encrypted');
  assert.equal((await contentOf(good)).text, 'a');
});

test('a PDF bomb is stopped by a limit, and the thread is replaced', async () => {
  const answer = await reasonOf(makePdf({ content: Buffer.alloc(400 << 20, ' ') }));
  assert.match(answer, /^too-(?:slow|much-memory)$/);
  assert.equal((await contentOf(makePdf({ lines: ['alive'] }))).text, 'alive');
});

test('a PDF that draws without end costs less than 3 s of CPU time, with the start of its thread', async () => {
  const pdf = makePdf({ content: Buffer.from('BT /F1 9 Tf (a) Tj ET\n'.repeat(2_000_000)) });
  await closeDocuments();
  const before = process.cpuUsage();
  assert.match(await reasonOf(pdf), /^too-(?:slow|much-memory)$/);
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 3_000_000, `${user + system} µs`);
});

test('deep nesting, unfinished tags and an entity bomb cost nothing', async () => {
  const deep = makeZip({ 'word/document.xml': `${'<w:p>'.repeat(200_000)}<w:t>deep</w:t>` });
  assert.equal((await contentOf(deep)).text, 'deep');
  const bomb = makeZip({ 'word/document.xml': '<!DOCTYPE a [<!ENTITY b "x">]><w:t>&b;</w:t><w:p "' });
  assert.equal((await contentOf(bomb)).text, '&b;');
  assert.equal((await contentOf(Buffer.from(`{\\rtf1 ${'{'.repeat(100_000)}x`))).isPartial, true);
});
