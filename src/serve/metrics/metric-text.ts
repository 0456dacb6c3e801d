/**
 * Writes metrics in the text format of Prometheus (exposition format 0.0.4). What always holds: each metric has its
 * help and type once, in front of all its series.
 */
export type MetricType = 'counter' | 'gauge' | 'histogram';
export type Labels = Readonly<Record<string, string>>;

export class MetricText {
  readonly #families = new Map<string, string[]>();

  /** Adds a series. The first call for a name gives its type and help. */
  add(type: MetricType, name: string, help: string, value: number | null, labels: Labels = {}): void {
    if (value === null || !Number.isFinite(value)) return;
    this.#linesOf(type, name, help).push(line(name, labels, value));
  }

  /** Adds a histogram. `counts` has one number for each bound and a last one for larger values, not cumulative. */
  addHistogram(name: string, help: string, histogram: Histogram, labels: Labels = {}): void {
    const lines = this.#linesOf('histogram', name, help);
    let sum = 0;
    for (const [i, count] of histogram.counts.entries()) {
      sum += count;
      const bound = histogram.bounds[i];
      lines.push(line(`${name}_bucket`, { ...labels, le: bound === undefined ? '+Inf' : String(bound) }, sum));
    }
    lines.push(line(`${name}_sum`, labels, histogram.sum), line(`${name}_count`, labels, sum));
  }

  toString(): string {
    return [...this.#families.values()].map((lines) => `${lines.join('\n')}\n`).join('');
  }

  #linesOf(type: MetricType, name: string, help: string): string[] {
    const known = this.#families.get(name);
    if (known !== undefined) return known;
    const lines = [`# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`, `# TYPE ${name} ${type}`];
    this.#families.set(name, lines);
    return lines;
  }
}

export interface Histogram {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
}

function line(name: string, labels: Labels, value: number): string {
  const written = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${written.length === 0 ? '' : `{${written.join(',')}}`} ${value}`;
}

function escapeLabel(text: string): string {
  return text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
}
