/** Words and sentences for generated pages. */
import type { PageMaker } from './page-maker.ts';

const SUBJECTS = [
  'The council',
  'A spokesman',
  'The new bridge',
  'Our workshop',
  'The committee',
  'The engine',
  'The river',
  'The museum',
  'Every visitor',
  'The second edition',
];
const VERBS = [
  'is expected to open',
  'was shown',
  'will be moved',
  'may return',
  'must be repaired',
  'can be seen',
  'was opposed',
  'is offered',
];
const ENDS = [
  'in the old harbour',
  'after 14 years of work',
  'before the end of spring',
  'to all members of the club',
  'with 3 of its parts',
  'by the people of the valley',
  'at the north gate',
  'without further notice',
];
const NOUNS = [
  'harbour',
  'lantern',
  'orchard',
  'granite',
  'compass',
  'meadow',
  'kettle',
  'bellows',
  'ledger',
  'willow',
  'anvil',
  'saddle',
];
const QUALITIES = ['quiet', 'copper', 'northern', 'folding', 'small', 'winter', 'green', 'double', 'ancient', 'light'];
const PEOPLE = [
  'Miriam Okafor',
  'Jon Aalto',
  'Petra Lindqvist',
  'Samir Haddad',
  'Wei Zhang',
  'Ada Kowalska',
  'Tom Brandt',
  'Ines Duarte',
];
const PLACES = ['Lisbon', 'Turku', 'Graz', 'Leith', 'Gent', 'Brno', 'Aarhus', 'Bari'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

export const sentence = (m: PageMaker) => `${m.pick(SUBJECTS)} ${m.pick(VERBS)} ${m.pick(ENDS)}.`;
export const paragraph = (m: PageMaker) => Array.from({ length: m.number(2, 4) }, () => sentence(m)).join(' ');
export const thing = (m: PageMaker) => `${m.pick(QUALITIES)} ${m.pick(NOUNS)}`;
export const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1);
export const person = (m: PageMaker) => m.pick(PEOPLE);
export const place = (m: PageMaker) => m.pick(PLACES);
export const price = (m: PageMaker) => `${m.pick(['$', '€', '£'])}${m.number(2, 900)}.${m.number(10, 99)}`;
export const isoDate = (m: PageMaker) => `2026-0${m.number(1, 9)}-${m.number(10, 28)}`;
export const day = (m: PageMaker) => `${m.number(10, 28)} ${m.pick(MONTHS)} 202${m.number(4, 6)}`;
export const clock = (m: PageMaker) => `${m.number(10, 22)}:${m.number(10, 59)}`;
export const slug = (m: PageMaker) => thing(m).replace(' ', '-');
export const phone = (m: PageMaker) => `+49 30 ${m.number(1_000_000, 9_999_999)}`;
