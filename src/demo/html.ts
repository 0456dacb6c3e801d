/**
 * HTML that is always escaped: a value in an html`…` template is escaped unless
 * it is itself the result of such a template.
 */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = string | number | Html | readonly Html[];

export function html(texts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let out = texts[0]!;
  for (const [index, value] of values.entries()) out += rendered(value) + texts[index + 1]!;
  return new Html(out);
}

function rendered(value: HtmlValue): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return escapeText(String(value));
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Safe for text and for quoted attributes, in HTML and in XML. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

/** JSON inside a script element. It must not contain a `<`, which could end the element. */
export function jsonScript(value: unknown): Html {
  const json = JSON.stringify(value).replaceAll('<', '\\u003c');
  return new Html(`<script type="application/ld+json">${json}</script>`);
}

export function link(label: string, href: string): Html {
  return html`<a href="${href}">${label}</a>`;
}

export function list(items: readonly Html[]): Html {
  return html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}

export function table(head: readonly string[], rows: readonly (readonly HtmlValue[])[]): Html {
  return html`<table>
<thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody>
</table>`;
}
