/**
 * The classic microformats (hAtom, hCard, hCalendar, hReview …) in the words of microformats 2. Each root class has the
 * classes that stand for it, the classes of its properties, and the link types that are properties.
 */

export interface ClassicRule {
  readonly types: readonly string[];
  /** The old class, or several that must come together, and the new classes. */
  readonly classes: readonly (readonly [old: readonly string[], now: readonly string[]])[];
  /** The link type and its class. `tag` is a category: the last part of the path. */
  readonly rels: readonly (readonly [old: readonly string[], now: string])[];
}

const ADDRESS = 'locality region extended-address post-office-box street-address postal-code country-name';
const REVIEWED_ITEMS = 'item vcard=p-item vcard,item vevent=p-item vevent,item hproduct=p-item hproduct';

const RULES: Readonly<Record<string, ClassicRule>> = {
  adr: rule('h-adr', sameNames('p', ADDRESS)),
  geo: rule('h-geo', sameNames('p', 'latitude longitude')),
  hentry: rule(
    'h-entry',
    'category=p-category,entry-title=p-name,published=dt-published,entry-content=e-content,entry-summary=p-summary,' +
      'author=p-author h-card,geo=p-geo h-geo,updated=dt-updated',
    'bookmark=u-url,tag=p-category',
  ),
  hnews: rule(
    'h-news',
    'entry=p-entry,geo=p-geo,latitude=p-latitude,longitude=p-longitude,source-org=p-source-org,dateline=p-dateline',
    'principles=u-principles',
  ),
  hfeed: rule(
    'h-feed',
    'category=p-category,site-description=p-summary,description=p-summary,site-title=p-name,title=p-name,' +
      'author=p-author h-card',
    'tag=p-category',
  ),
  hproduct: rule(
    'h-product',
    `${sameNames('p', 'category price description brand')},${sameNames('u', 'url photo identifier')},` +
      'review=p-review h-review,fn=p-name',
  ),
  hrecipe: rule(
    'h-recipe',
    `${sameNames('p', 'nutrition yield summary ingredient category')},author=p-author h-card,duration=dt-duration,` +
      'photo=u-photo,instructions=e-instructions,fn=p-name',
    'tag=p-category',
  ),
  hresume: rule(
    'h-resume',
    'experience=h-event p-experience,summary=p-summary,affiliation=p-affiliation h-card,contact=h-card p-contact,' +
      'skill=p-skill,education=h-event p-education',
  ),
  'hreview-aggregate': rule(
    'h-review-aggregate',
    `${sameNames('p', 'rating description worst best count votes')},photo=u-photo,` +
      'reviewer=p-reviewer p-author h-card,dtreviewed=dt-reviewed,url=u-url,summary=p-name,fn=p-item h-item p-name,' +
      REVIEWED_ITEMS,
  ),
  hreview: rule(
    'h-review',
    `${sameNames('p', 'rating worst best description')},dtreviewed=dt-reviewed,reviewer=p-author h-card,` +
      'url=p-item h-item u-url,photo=p-item h-item u-photo,fn=p-item h-item p-name,summary=p-name,' +
      REVIEWED_ITEMS,
    'self bookmark=u-url,tag=p-category',
  ),
  vcard: rule(
    'h-card',
    `${sameNames(
      'p',
      'tel honorific-suffix family-name postal-code country-name category locality nickname label note ' +
        'street-address latitude extended-address additional-name organization-unit given-name org honorific-prefix ' +
        'region longitude organization-name role',
    )},${sameNames('u', 'photo logo uid email key url')},adr=p-adr h-adr,bday=dt-bday,geo=p-geo h-geo,fn=p-name,` +
      'title=p-job-title',
  ),
  vevent: rule(
    'h-event',
    `${sameNames('p', 'attendee description organizer category contact location')},duration=dt-duration,dtend=dt-end,` +
      'dtstart=dt-start,geo=p-location h-geo,url=u-url,summary=p-name',
  ),
};

export function classicRule(className: string): ClassicRule | undefined {
  return Object.hasOwn(RULES, className) ? RULES[className] : undefined;
}

function sameNames(prefix: string, names: string): string {
  return names
    .split(' ')
    .map((name) => `${name}=${prefix}-${name}`)
    .join(',');
}

function rule(type: string, classes: string, rels = ''): ClassicRule {
  const pairs = (text: string): [string[], string[]][] =>
    text === ''
      ? []
      : text.split(',').map((pair) => {
          const [old, now] = pair.split('=') as [string, string];
          return [old.split(' '), now.split(' ')];
        });
  return { types: [type], classes: pairs(classes), rels: pairs(rels).map(([old, now]) => [old, now[0] as string]) };
}
