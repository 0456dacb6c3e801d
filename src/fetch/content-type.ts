/**
 * Chooses the media type if a response names several (Fetch standard, "extract a MIME type"). In: the values of all
 * Content-Type headers. Out: the last valid type, or '' if no value is valid. If the last type has no charset, it gets
 * the charset of an earlier value with the same type.
 */
const TYPE = /^[!#$%&'*+\-.^_`|~0-9a-z]+\/[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** No sane server sends more. The limit bounds the cost of a hostile header. */
const MAX_VALUES = 32;

export function extractContentType(values: readonly string[]): string {
  let type = '';
  let parameters = '';
  let charset = '';
  for (const value of values.flatMap(splitAtCommas).slice(0, MAX_VALUES)) {
    const semicolon = value.indexOf(';');
    const found = (semicolon === -1 ? value : value.slice(0, semicolon)).trim().toLowerCase();
    if (!TYPE.test(found) || found === '*/*') continue;
    parameters = semicolon === -1 ? '' : value.slice(semicolon).trim();
    const given = charsetIn(parameters);
    if (found !== type || given !== '') charset = given;
    type = found;
  }
  return charset !== '' && charsetIn(parameters) === '' ? `${type};charset=${charset}` : type + parameters;
}

/** A comma inside quotes does not separate. */
function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === '\\' && isQuoted) at++;
    else if (character === ',' && !isQuoted) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}

function charsetIn(parameters: string): string {
  for (const parameter of parameters.split(';')) {
    const equals = parameter.indexOf('=');
    if (parameter.slice(0, Math.max(0, equals)).trim().toLowerCase() === 'charset') {
      return parameter
        .slice(equals + 1)
        .trim()
        .replaceAll('"', '');
    }
  }
  return '';
}
