/** Character references (`&amp;`, `&#38;`), decoded only where there is an `&` at all: most values have none. */
import { decodeHTML, decodeHTMLAttribute, decodeHTMLStrict } from 'entities';

/** In an attribute, `&copy=1` and `&copy2` stay as they are (HTML standard 13.2.5.73): query strings depend on it. */
export function decodeAttribute(raw: string): string {
  return raw.includes('&') ? decodeHTMLAttribute(raw) : raw;
}

export function decodeText(raw: string): string {
  return raw.includes('&') ? decodeHTML(raw) : raw;
}

/** XML has no references without a semicolon; HTML's names are understood as well, since feeds use them. */
export function decodeXmlText(raw: string): string {
  return raw.includes('&') ? decodeHTMLStrict(raw) : raw;
}
