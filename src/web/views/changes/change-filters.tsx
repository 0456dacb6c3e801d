/** The filters of the stream of changes. All of them are in the address. */
import { navigate, type Place, withQuery } from '../../routing/location.ts';
import { type Choice, FilterField, Select } from '../../ui/fields.tsx';
import { Toolbar } from '../../ui/toolbar.tsx';

const KINDS: readonly Choice[] = [
  { value: '', label: 'All kinds' },
  { value: 'new', label: 'New pages' },
  { value: 'changed', label: 'Changed pages' },
  { value: 'gone', label: 'Gone' },
  { value: 'moved', label: 'Moved' },
  { value: 'returned', label: 'Returned' },
  { value: 'orphaned', label: 'Orphaned' },
  { value: 'noise', label: 'Noise' },
];
const LEVELS: readonly Choice[] = [
  { value: '', label: 'All levels' },
  { value: 'content', label: 'Content' },
  { value: 'layout', label: 'Layout' },
  { value: 'hidden', label: 'Hidden' },
];
const EDITS: readonly Choice[] = [
  { value: '', label: 'Site-wide edits once' },
  { value: 'all', label: 'Every page' },
];

export function ChangeFilters({ place }: { readonly place: Place }) {
  const valueIn = (name: string): string => place.query.get(name) ?? '';
  const set = (name: string) => (value: string) =>
    navigate(withQuery({ [name]: value, before: '' }), { replace: true });
  return (
    <Toolbar label="Filter the changes">
      <FilterField label="Title or URL" value={valueIn('words')} onChange={set('words')} />
      <FilterField label="Host" value={valueIn('host')} onChange={set('host')} />
      <Select label="Kind" value={valueIn('kind')} choices={KINDS} onChange={set('kind')} />
      <Select label="Level" value={valueIn('level')} choices={LEVELS} onChange={set('level')} />
      <FilterField label="Min. words" type="number" value={valueIn('least')} onChange={set('least')} />
      <Select label="Site-wide edits" value={valueIn('edits')} choices={EDITS} onChange={set('edits')} />
    </Toolbar>
  );
}
