/**
 * What is switched off in a static page, which only shows: attributes that run something, send something, or lead
 * anywhere but to a file of the copy. An attribute is switched off by renaming it.
 *
 * The rules look at local names only, so that a prefix in XML and a wrong guess about being inside SVG change nothing.
 */
import { trimUrl } from '../../../page/html/scan-tag.ts';

/** Attributes whose value is a URL, a list of URLs or a document, on whatever element. */
const URL_ATTRIBUTES: ReadonlySet<string> = new Set(
  (
    'action altimg archive background cite classid code codebase data definitionurl dynsrc formaction href icon ' +
    'imagesrcset longdesc lowsrc object poster profile src srcdoc srcset url'
  ).split(' '),
);
/** Attributes that make requests, or that change or forbid those that a page needs. */
const OFF_EVERYWHERE: ReadonlySet<string> = new Set(
  'attributionsrc autoplay crossorigin csp download integrity is manifest nonce ping referrerpolicy'.split(' '),
);
const PLUGINS: ReadonlySet<string> = new Set('object embed applet portal fencedframe layer ilayer'.split(' '));
const ANIMATIONS: ReadonlySet<string> = new Set('animate animatemotion animatetransform animatecolor set'.split(' '));
/** An element with one of these attributes may show a picture or a sound that is in the page itself. */
const PICTURES: ReadonlySet<string> = new Set('src srcset poster background lowsrc'.split(' '));
const NO_PICTURES: ReadonlySet<string> = new Set('iframe frame script'.split(' '));

/** `read` reads another attribute of the element; '' if it has none. */
export function isSwitchedOff(elementName: string, attributeName: string, read: (name: string) => string): boolean {
  const element = localName(elementName);
  const attribute = localName(attributeName);
  if (attribute.startsWith('on') || OFF_EVERYWHERE.has(attribute)) return true;
  // A target of the page itself is the name of a frame. The others are pages around it.
  if (attribute === 'target') return read(attributeName).trim().startsWith('_') || element === 'base';
  if (attribute === 'action' || attribute === 'formaction') return true;
  if (PLUGINS.has(element) || element === 'script' || element === 'base') return URL_ATTRIBUTES.has(attribute);
  if (element === 'link') return URL_ATTRIBUTES.has(attribute) && !isShown(read('rel'));
  if (element === 'meta') return isActingMeta(attribute, read(attributeName));
  return ANIMATIONS.has(element) && attribute === 'attributename' && isActing(read(attributeName));
}

/** Whether an attribute that was not rewritten could lead out of the copy, or to a script. */
export function mayLeadAway(elementName: string, attributeName: string, value: string): boolean {
  const [element, attribute] = [localName(elementName), localName(attributeName)];
  const url = trimUrl(value);
  if (!URL_ATTRIBUTES.has(attribute) || url === '' || url.startsWith('#')) return false;
  const isPicture = PICTURES.has(attribute) || element === 'image' || element === 'feimage';
  return !(isPicture && !NO_PICTURES.has(element) && /^data:/i.test(url));
}

function isShown(rel: string): boolean {
  return /(?:^|\s)(?:stylesheet|icon)(?:\s|$)/i.test(rel);
}

/** A policy of the site for its requests; a redirect; a header of its own. The charset is that of the answer. */
function isActingMeta(attribute: string, value: string): boolean {
  if (attribute === 'http-equiv') return true;
  return attribute === 'name' && /^\s*referrer\s*$/i.test(value);
}

function isActing(attributeName: string): boolean {
  const attribute = localName(attributeName.trim().toLowerCase());
  return attribute.startsWith('on') || URL_ATTRIBUTES.has(attribute);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
