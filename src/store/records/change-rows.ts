/** Entries of the change log as rows: closed lists are stored as positions. The same for every engine. */
import { CHANGE_LEVELS, CHANGE_PARTS } from '../../core/page/change-class.ts';
import { CHANGE_KINDS, type ChangeEntry, type NewChange, type Revisit, type SharedEdit } from './visit-records.ts';

interface StoredFields extends Pick<ChangeEntry, 'id' | 'title' | 'reason' | 'change' | 'edit'> {
  readonly at: number;
  readonly kind: number;
  readonly level: number | null;
  readonly part: number | null;
}

export interface ChangeRow extends StoredFields {
  readonly seq: number;
  readonly url: string;
}

export function toChangeRow(change: NewChange): StoredFields {
  const { id, kind, atMs, title, reason, level, part, edit } = change;
  return {
    id,
    at: Math.ceil(atMs),
    kind: CHANGE_KINDS.indexOf(kind),
    reason: reason ?? null,
    title,
    change: change.change ?? null,
    level: level ? CHANGE_LEVELS.indexOf(level) : null,
    part: part ? CHANGE_PARTS.indexOf(part) : null,
    edit: edit ?? null,
  };
}

export function toChangeEntry({ at, kind, level, part, ...same }: ChangeRow): ChangeEntry {
  return {
    ...same,
    atMs: at,
    kind: CHANGE_KINDS[kind]!,
    level: level === null ? null : CHANGE_LEVELS[level]!,
    part: part === null ? null : CHANGE_PARTS[part]!,
  };
}

/** Columns of a shared edit, over the columns of `changes`: the same SQL for every engine. */
export const EDIT_COLUMNS =
  'edit, count(DISTINCT url_id) AS pages, min(seq) AS first, min(level) AS level, min(touches) AS part';
/** SQL condition: the changes that may share an edit. Both engines have an index for it. */
export const MAY_SHARE = `edit IS NOT NULL AND kind = ${CHANGE_KINDS.indexOf('changed')}`;
/** URLs that are read for each shared edit. */
export const EDIT_EXAMPLES = 5;

export interface EditRow {
  readonly edit: string;
  readonly pages: number;
  readonly first: number;
  readonly level: number | null;
  readonly part: number | null;
}

export function toSharedEdit({ edit, pages, first, level, part }: EditRow, examples: readonly string[]): SharedEdit {
  return {
    edit,
    pages,
    firstSeq: first,
    level: level === null ? null : CHANGE_LEVELS[level]!,
    part: part === null ? null : CHANGE_PARTS[part]!,
    examples,
  };
}

/** The part of a visit's result that describes the change. */
export function changeIn({
  change,
  level,
  part,
  edit,
}: Revisit): Pick<NewChange, 'change' | 'level' | 'part' | 'edit'> {
  return { change, level, part, edit };
}
