/** Which worker of a cluster wrote an archive file: its name and number are in the file's, so that on a shared disk none meets another's. */
const OWNER = /^([A-Za-z0-9][A-Za-z0-9_.-]*)#(\d+)$/;
const OWNED = /^orbweaver-\d{14}-([A-Za-z0-9][A-Za-z0-9_.-]*)\.(\d+)-(?:unit\d+(?:-\d+)?|kept)-\d{5,9}\.warc\.gz$/;

/** What stands for the unit in the names of a worker's files: `name#7` and `unit0` are `name.7-unit0`. */
export function unitOf(owner: string, unit: string): string {
  const [, name = 'worker', number = '0'] = OWNER.exec(owner) ?? [];
  return `${name}.${number}-${unit}`;
}

/** Null where the name tells of none. */
export function ownerOf(file: string): string | null {
  const found = OWNED.exec(file);
  return found === null ? null : `${found[1]}#${found[2]}`;
}
