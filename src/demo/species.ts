/** The spiders of the guide, all invented: names, habitats and measures. */
import { type Html, table } from './html.ts';
import { Prose, slug } from './prose.ts';

export const GENERA = ['Orbitella', 'Filumia', 'Roridana', 'Nocturnella', 'Lanternia', 'Retiola'];
const KINDS = ['Lantern', 'Brook', 'Thistle', 'Gate', 'Frost', 'Bell', 'Ladder', 'Copper'];
export const HABITATS = [
  'Reed bed',
  'Old orchard',
  'Garden gate',
  'Heath',
  'Lamp post',
  'Brook bank',
  'Attic window',
  'Bramble',
];
const MONTHS = ['April', 'May', 'June', 'July', 'August', 'September', 'October'];

export interface Species {
  readonly name: string;
  readonly latin: string;
  readonly genus: string;
  readonly habitat: string;
  readonly path: string;
}

export const SPECIES: readonly Species[] = GENERA.flatMap((genus, g) =>
  KINDS.map((kind, k) => {
    const name = `${['Lesser', 'Great', 'Pale', 'Evening', 'Meadow', 'Old'][(g + k) % 6]} ${kind} Weaver`;
    const latin = `${genus} ${kind.toLowerCase()}ensis`;
    const path = `/species/${slug(`${name} ${genus}`)}`;
    return { name, latin, genus, habitat: HABITATS[(g * 3 + k) % HABITATS.length]!, path };
  }),
);

export function measures({ latin, habitat }: Species): Html {
  const facts = new Prose(latin);
  const length = 4 + facts.number(14);
  return table(
    ['', 'Female', 'Male'],
    [
      ['Length', `${length} mm`, `${Math.ceil(length / 2)} mm`],
      ['Spokes', 16 + facts.number(20), '–'],
      ['Web', `${18 + facts.number(40)} cm`, 'none'],
      ['Season', `${facts.pick(MONTHS.slice(0, 3))} to ${facts.pick(MONTHS.slice(4))}`, facts.pick(MONTHS)],
      ['Habitat', habitat, habitat],
    ],
  );
}
