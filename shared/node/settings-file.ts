/** Reads a program's settings: from its flags, its environment, and the file that `--config` names or an `.env` in the working directory. */
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

/** Where a program looks for its file. */
export interface SettingsFilePlace {
  /** The file that `--config` names: `.env` lines, or YAML when its name ends in .yaml or .yml. */
  configFile?: string | undefined;
  /** When no file is named, the `.env` of this directory is read, if there is one. Left out: no `.env` is read. */
  workingDirectory?: string | undefined;
}

/** Where a program's settings are set. */
export interface SettingsPlaces extends SettingsFilePlace {
  /** Options by their names in code (`dataDir`); names that are not settings are ignored. */
  flags?: Record<string, unknown>;
  /** Left out: that of the process. */
  environment?: Record<string, string | undefined>;
}

/**
 * Reads every setting of the table: flags override the environment, which overrides the file.
 * @param otherNames settings of the other program, which an `.env` for both may hold
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

/** @throws SettingsError when the file cannot be read, or has a line that sets nothing */
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
    // Every value as it was written: YAML would turn a code of digits into a number, and not always the same one.
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
    // The message does not repeat the line, which may hold a secret.
    throw new SettingsError(
      malformed.map((line) => `${path}:${line}: sets nothing; allowed: NAME=value, a comment after #, an empty line`),
    );
  }
  return { ...source, lines };
}

/** The line numbers of the names at the beginning of a line: settings are never nested. */
function linesOfYaml(text: string): ReadonlyMap<string, number> {
  const names = text.split('\n').map((line, at) => [/^["']?([\w.-]+)["']?\s*:/.exec(line)?.[1], at + 1] as const);
  return new Map(names.flatMap(([name, line]) => (name === undefined ? [] : [[name, line] as const])));
}
