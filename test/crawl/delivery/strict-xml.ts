/**
 * A parser as strict as XML 1.0: every error is thrown. It knows only the XML that our feed needs, so a
 * doctype, CDATA or a comment is also an error.
 */
import assert from 'node:assert/strict';

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

const NAME = /[A-Za-z_][\w.-]*/y;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** Char of XML 1.0 §2.2. */
const ONLY_CHARS = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u;

export function parseStrictXml(bytes: Buffer): XmlElement {
  const xml = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  assert.match(xml, ONLY_CHARS, 'a character that XML does not have');
  const declaration = '<?xml version="1.0" encoding="utf-8"?>\n';
  assert.ok(xml.startsWith(declaration), 'begins with its declaration');
  const top: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [top];
  let at = declaration.length;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(xml);
    assert.ok(found, `at ${at}: ${JSON.stringify(xml.slice(at, at + 40))} does not match ${pattern}`);
    at = pattern.lastIndex;
    return found[0];
  };
  while (at < xml.length) {
    const around = open.at(-1)!;
    if (xml[at] !== '<') around.text += decode(take(/[^<]+/y));
    else if (xml[at + 1] === '/') {
      take(/<\//y);
      assert.equal(take(NAME), around.name, 'closed in the order of opening');
      take(/\s*>/y);
      open.pop();
      assert.ok(open.length > 0);
    } else {
      take(/</y);
      const element: XmlElement = { name: take(NAME), attributes: attributes(), children: [], text: '' };
      around.children.push(element);
      if (take(/\s*\/?>/y).endsWith('/>')) continue;
      open.push(element);
    }
  }
  assert.equal(open.length, 1, 'all is closed');
  assert.equal(top.children.length, 1, 'one root');
  assert.equal(top.text.trim(), '', 'no text outside it');
  return top.children[0]!;

  function attributes(): Record<string, string> {
    const found: Record<string, string> = {};
    while (/\s/.test(xml[at]!) && !/^\s*\/?>/.test(xml.slice(at, at + 10))) {
      take(/\s+/y);
      const name = take(NAME);
      assert.ok(!Object.hasOwn(found, name), `${name} twice`);
      found[name] = decode(take(/="[^"<]*"/y).slice(2, -1));
    }
    return found;
  }
}

function decode(text: string): string {
  assert.ok(!text.includes(']]>'), 'the end of a CDATA section in text');
  return text.replace(/&([^;]*);?/g, (whole, name: string) => {
    assert.ok(whole.endsWith(';'), `a bare & before ${JSON.stringify(name.slice(0, 20))}`);
    if (name.startsWith('#')) return String.fromCodePoint(Number(name.slice(1)));
    assert.ok(Object.hasOwn(ENTITIES, name), `no entity ${name}`);
    return ENTITIES[name]!;
  });
}
