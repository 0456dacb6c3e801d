/** Runs that the interface starts and ends, and the rules that it may change. */
import { anything, flag, type Infer, list, named, nullable, object, oneOf, record, text } from '../schema/schema.ts';
import { RUN_STATES } from './copies.ts';

export const RUN_ACTIONS = ['crawl', 'refresh', 'pause', 'resume', 'stop'] as const;
export type RunAction = (typeof RUN_ACTIONS)[number];

export const runOrder = named('RunOrder', object({ action: oneOf(RUN_ACTIONS) }));
export const runAnswer = named(
  'RunAnswer',
  object({
    state: oneOf(RUN_STATES),
    command: text({ maxLength: 10_000, about: 'the command line that does the same' }),
  }),
);
export type RunAnswer = Infer<typeof runAnswer>;

export const rule = named(
  'Rule',
  object({
    name: text(),
    flag: text({ about: 'as on the command line' }),
    hint: text({ about: 'the form of its value; empty for a switch' }),
    help: text(),
    value: anything,
    text: text({ maxLength: 100_000, about: 'the value as a person writes it' }),
    isDefault: flag(),
    canChange: flag('this interface may change it'),
    pending: nullable(text({ maxLength: 100_000, about: 'a new value that the running crawl has not taken over yet' })),
  }),
);
export type Rule = Infer<typeof rule>;

export const rules = named('Rules', object({ rules: list(rule, 300), command: text({ maxLength: 10_000 }) }));
export type Rules = Infer<typeof rules>;

export const ruleChanges = named(
  'RuleChanges',
  object({ rules: record(anything, 'new values by the names of the rules; null restores the default') }),
);
