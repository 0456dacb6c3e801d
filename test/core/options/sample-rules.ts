/** A valid value other than the default for every rule of a crawl, derived from the option tables. */
import { RULE_OPTIONS } from '../../../src/core/options/stored-rules.ts';

/** Values that cannot be derived from the parser. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  include: ['*'],
  exclude: ['*/closed/*', '*.pdf'],
  allowPrivate: ['127.0.0.0/8'],
  ignore: ['*|.clock'],
  onlyIn: ['*|main'],
  noiseOff: ['counter'],
  delay: '7ms',
};

/** `examples` is the path for `--topic-examples`. A topic has words or examples, so it has no words here. */
export function sampleRules(examples: string): Record<string, unknown> {
  const samples = Object.entries(RULE_OPTIONS).map(([name, { parse, default: fallback }]) => {
    if (name === 'topicExamples') return [name, examples];
    return [name, SAMPLES[name] ?? otherThan(fallback, parse.hint)];
  });
  return Object.fromEntries(samples.filter(([name, value]) => value !== undefined && name !== 'topic'));
}

/** Undefined if the option has only one value. */
function otherThan(fallback: unknown, hint: string): unknown {
  if (typeof fallback === 'boolean') return !fallback;
  if (hint === '<n>' || hint === '<size>') return Number(fallback) + 1;
  if (hint.startsWith('<time>')) return `${Number(fallback) + 1}ms`;
  if (hint === '<share>') return 0.55;
  if (hint === '<text>') return 'sample';
  return hint.split('|').find((word) => word !== fallback);
}
