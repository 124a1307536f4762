/** Reads a program's settings from a file: the one that `--config` names, or else an `.env` in the working directory. */
import { parseEnvFileLines } from './env-file-parser.js';
import { SettingsError, type SettingsSource } from './settings.js';

/** How the runtime and its packages read files. */
export interface SettingsFileReader {
  /** Throws an error with the code `ENOENT` when there is no such file. */
  readText(path: string): string;
  parseEnv(text: string): Record<string, unknown>;
  /** Parses YAML but leaves every value as it was written: YAML would turn a code of digits into a number, and not always the same one. */
  parseYaml(text: string): unknown;
}

/** Where a program looks for its file. */
export interface SettingsFilePlace {
  /** The file that `--config` names: `.env` lines, or YAML when its name ends in .yaml or .yml. */
  configFile?: string | undefined;
  /** When no file is named, the `.env` of this directory is read, if there is one. Left out: no `.env` is read. */
  workingDirectory?: string | undefined;
}

/**
 * Reads the settings of the program's file; an empty list when it has none.
 * @param otherNames settings of the other program, which an `.env` for both may hold
 * @throws SettingsError when the file cannot be read, or has a line that sets nothing
 */
export function settingsFromFile(
  reader: SettingsFileReader,
  { configFile, workingDirectory }: SettingsFilePlace,
  otherNames: readonly string[],
): SettingsSource[] {
  if (configFile !== undefined) return [readSource(reader, { path: configFile, saidAs: `--config ${configFile}` })];
  if (workingDirectory === undefined) return [];
  const path = `${workingDirectory.replace(/\/$/, '')}/.env`;
  try {
    return [{ ...readSource(reader, { path, saidAs: path }), otherNames }];
  } catch (error) {
    if (error instanceof SettingsError && isMissing(error.cause)) return [];
    throw error;
  }
}

const isMissing = (cause: unknown): boolean => cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';

function readSource(reader: SettingsFileReader, { path, saidAs }: { path: string; saidAs: string }): SettingsSource {
  let text: string;
  let values: unknown;
  const isYaml = /\.ya?ml$/.test(path);
  try {
    text = reader.readText(path).replace(/^\uFEFF/, '');
    values = isYaml ? (reader.parseYaml(text) ?? {}) : reader.parseEnv(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingsError([`${saidAs}: cannot be read: ${reason}`], { cause: error });
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
