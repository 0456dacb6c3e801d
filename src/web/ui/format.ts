/** Numbers, sizes and times as people read them. All use the same locale, so that columns can be compared. */
const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const TENTHS = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const MINUTE = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const FULL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

export function formatCount(value: number): string {
  return WHOLE.format(value);
}

/** At least three digits that count: 0.4, 12.3, 140. */
export function formatRate(value: number): string {
  return value < 99.95 ? TENTHS.format(value) : WHOLE.format(value);
}

export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${unit === 0 || value >= 99.95 ? WHOLE.format(value) : TENTHS.format(value)} ${UNITS[unit]}`;
}

export function formatShare(share: number): string {
  return `${WHOLE.format(share * 100)} %`;
}

export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days ${hours % 24} h`;
}

/** The position on the axis of a chart: 0:00, 12:30, 1:05:00. */
export function formatClock(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const pad = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
}

export function formatDay(at: Date): string {
  return DAY.format(at);
}

export function formatMinute(at: Date): string {
  return MINUTE.format(at);
}

export function formatFullTime(at: Date): string {
  return FULL.format(at);
}

export function formatAgo(at: Date, now = Date.now()): string {
  const seconds = Math.round((now - at.getTime()) / 1_000);
  if (Math.abs(seconds) < 45) return seconds < -5 ? 'in some seconds' : 'just now';
  const steps = [
    [60, 'minute', 60],
    [3_600, 'hour', 24],
    [86_400, 'day', 30],
    [2_592_000, 'month', 12],
    [31_536_000, 'year', Number.POSITIVE_INFINITY],
  ] as const;
  for (const [size, name, most] of steps) {
    const count = Math.max(1, Math.round(Math.abs(seconds) / size));
    if (count >= most) continue;
    const text = `${count} ${name}${count === 1 ? '' : 's'}`;
    return seconds < 0 ? `in ${text}` : `${text} ago`;
  }
  return formatDay(at);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** The name of a reason as words: `robots-disallowed` becomes `robots disallowed`. */
export function formatName(name: string): string {
  return name.replaceAll('-', ' ');
}
