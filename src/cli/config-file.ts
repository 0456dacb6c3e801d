/** `config.yaml` of the data folder, or the file named by --config: option names as in the flags, without the dashes. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { YAMLParseError } from 'yaml';
import { OrbweaverError } from '../core/errors.ts';
import { type GivenOptions, optionNamed } from '../core/options.ts';

const MAX_CONFIG_CHARS = 1_000_000;

/** Null when the file does not exist. */
export function readConfigFile(path: string): GivenOptions | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    // ENOTDIR: the data folder is a file, of which whoever opens it says more.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    const line = `cannot read ${path}: ${(error as Error).message}; name a file that this user may read with --config`;
    throw new OrbweaverError('ERR_CONFIG', line, { cause: error });
  }
  return toOptions(parseYaml(text, path), path);
}

function parseYaml(text: string, path: string): unknown {
  if (text.length > MAX_CONFIG_CHARS) throw new OrbweaverError('ERR_CONFIG', `${path} is too long for a configuration`);
  // Loaded only here: few folders have such a file, and a parser of YAML is half of what a start would load.
  const { parse } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  try {
    // Neither warnings nor the parser's own message: both repeat lines of the file, and there may be passwords in it.
    return parse(text, { maxAliasCount: 100, logLevel: 'error' });
  } catch (error) {
    const { code = 'not readable', linePos } = error as Partial<YAMLParseError>;
    const place = linePos ? `, line ${linePos[0].line}, column ${linePos[0].col}` : '';
    throw new OrbweaverError('ERR_CONFIG', `${path} is no YAML${place}: ${code.toLowerCase().replaceAll('_', ' ')}`);
  }
}

function toOptions(parsed: unknown, path: string): GivenOptions {
  if (parsed === null || parsed === undefined) return {};
  if (typeof parsed !== 'object' || Array.isArray(parsed)) {
    throw new OrbweaverError('ERR_CONFIG', `${path} must be a list of "option: value" lines`);
  }
  const given: GivenOptions = {};
  for (const [written, value] of Object.entries(parsed)) given[optionNamed(written, path)] = value;
  return given;
}
