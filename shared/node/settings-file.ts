/** Reads a program's settings from its flags, its environment, and a file: the one that `--config` names, or `.env` in the working directory. */
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { parse as parseYaml } from 'yaml';
import { parseEnvFileLines } from '../env-file-parser.js';
import { errorText } from '../error-text.js';
import {
  type AnySetting,
  readSettings,
  SettingsError,
  settingsFromFlags,
  type SettingsSource,
  type SettingValues,
} from '../settings.js';

/** Where a program looks for its settings file. */
export interface SettingsFilePlace {
  /** The file that `--config` names: `.env` lines, or YAML when its name ends in .yaml or .yml. */
  configFile?: string | undefined;
  /** The directory whose `.env` is read when no file is named and it exists. Left out: no `.env` is read. */
  workingDirectory?: string | undefined;
}

/** All sources of a program's settings. */
export interface SettingsPlaces extends SettingsFilePlace {
  /** Command-line options by their names in code (`dataDir`). Options that are not settings are ignored. */
  flags?: Record<string, unknown>;
  /** Left out: the environment of the process. */
  environment?: Record<string, string | undefined>;
}

/**
 * Reads every setting of the table. Flags override the environment, which overrides the file.
 * @param otherNames names of the other program's settings, which a common `.env` may contain
 * @throws SettingsError (exit code 2)
 */
export const loadSettings = <Table extends Record<string, AnySetting>>(
  table: Table,
  places: SettingsPlaces,
  otherNames: readonly string[],
): SettingValues<Table> =>
  readSettings(table, [
    ...settingsFromFile(places, otherNames),
    { name: 'environment', values: places.environment ?? process.env, strict: false },
    settingsFromFlags(table, places.flags ?? {}),
  ]);

/** @throws SettingsError when the file cannot be read, or one of its lines sets nothing */
function settingsFromFile(
  { configFile, workingDirectory }: SettingsFilePlace,
  otherNames: readonly string[],
): SettingsSource[] {
  if (configFile !== undefined) return [readSource(configFile, `--config ${configFile}`)];
  if (workingDirectory === undefined) return [];
  const path = `${workingDirectory.replace(/\/$/, '')}/.env`;
  try {
    return [{ ...readSource(path), otherNames }];
  } catch (error) {
    if (error instanceof SettingsError && isMissing(error.cause)) return [];
    throw error;
  }
}

const isMissing = (cause: unknown): boolean => cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';

function readSource(path: string, saidAs = path): SettingsSource {
  let text: string;
  let values: unknown;
  const isYaml = /\.ya?ml$/.test(path);
  try {
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
    // The failsafe schema keeps values as text. Otherwise YAML would convert a code of digits to a number and could change it.
    values = isYaml ? (parseYaml(text, { schema: 'failsafe' }) ?? {}) : parseEnv(text);
  } catch (error) {
    throw new SettingsError([`${saidAs}: cannot be read: ${errorText(error)}`], { cause: error });
  }
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw new SettingsError([`${saidAs}: it must hold lines of the form NAME: value`]);
  }
  const source = { name: path, values: { ...values }, strict: true };
  if (isYaml) return { ...source, lines: linesOfYaml(text) };
  const { lines, malformed } = parseEnvFileLines(text);
  if (malformed.length > 0) {
    // The message does not repeat the line, because it may contain a secret.
    throw new SettingsError(
      malformed.map((line) => `${path}:${line}: sets nothing; allowed: NAME=value, a comment after #, an empty line`),
    );
  }
  return { ...source, lines };
}

/** Returns the line number of each name at the beginning of a line. Settings are never nested. */
function linesOfYaml(text: string): ReadonlyMap<string, number> {
  const names = text.split('\n').map((line, at) => [/^["']?([\w.-]+)["']?\s*:/.exec(line)?.[1], at + 1] as const);
  return new Map(names.flatMap(([name, line]) => (name === undefined ? [] : [[name, line] as const])));
}
