/** Where the options of a command come from, strongest first: flags, the environment, the configuration file. */
import { join } from 'node:path';
import { OrbweaverError } from '../core/errors.ts';
import type { OptionSource } from '../core/option-table.ts';
import { optionsFromEnvironment } from '../core/options.ts';
import { type FlagRow, givenOptions, type ParsedArguments } from './arguments.ts';
import { readConfigFile } from './config-file.ts';

export const CONFIG_FLAG: FlagRow = {
  hint: '<file>',
  help: 'options as YAML (default config.yaml in the data folder)',
};

export function optionSources(args: ParsedArguments, dir: string): OptionSource[] {
  return [
    { from: 'command line', given: givenOptions(args) },
    { from: 'environment', given: optionsFromEnvironment(process.env) },
    { from: 'configuration file', given: configFor(args.flags.config, dir) },
  ];
}

function configFor(named: unknown, dir: string): Record<string, unknown> {
  const path = typeof named === 'string' ? named : join(dir, 'config.yaml');
  const found = readConfigFile(path);
  if (found === null && typeof named === 'string') throw new OrbweaverError('ERR_CONFIG', `there is no file ${named}`);
  return found ?? {};
}
