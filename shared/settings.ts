/**
 * Settings as a typed table: what each is called, what it may be, what it is when nobody says. Both programs read their
 * environment, file and flags through this, so that a wrong value is told in the same words.
 */
import { z } from 'zod';

export interface Setting<T> {
  /** Parses the text of a value. */
  schema: z.ZodType<T, string>;
  default: T;
  /** What is allowed, for people: follows "allowed: ". */
  allowed: string;
  description: string;
  /** Its value is never repeated in an error. */
  secret: boolean;
}

// The widest table: a Setting of anything.
type SettingsTable = Record<string, Setting<never> | Setting<unknown>>;
export type SettingValues<Table> = { [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never };

/** Names and values from one place. An empty text means: not set here. */
export interface SettingsSource {
  /** For errors: `environment`, `flag`, the name of the file. */
  name: string;
  values: Record<string, unknown>;
  /** The place holds settings of this program only: other names are mistakes. */
  strict: boolean;
}

/** Wrong use: the program stops with exit code 2. One problem per line, each with the setting's name and what is allowed. */
export class SettingsError extends Error {
  readonly problems: string[];

  constructor(problems: string[], options?: { cause?: unknown }) {
    super(problems.join('\n'), options);
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

interface Common<D> {
  default: D;
  description: string;
}

export function textSetting<D extends string | null>(
  options: Common<D> & { pattern?: RegExp; allowed: string; secret?: boolean },
) {
  const schema = options.pattern === undefined ? z.string() : z.string().regex(options.pattern);
  return setting<string | D>(options, schema, options.allowed, options.secret);
}

export function integerSetting<D extends number | null>(options: Common<D> & { min: number; max: number }) {
  const { min, max } = options;
  const schema = z
    .string()
    .regex(/^-?\d{1,15}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max));
  return setting<number | D>(options, schema, `a whole number from ${min} to ${max}`);
}

export function choiceSetting<const Choice extends string>(options: Common<Choice> & { choices: readonly Choice[] }) {
  return setting<Choice>(options, z.enum(options.choices), options.choices.join(', '));
}

/** A URL of one of the schemes, without a trailing slash. */
export function urlSetting<D extends string | null>(options: Common<D> & { schemes: readonly string[] }) {
  const isAllowed = (text: string) =>
    options.schemes.some((scheme) => text.startsWith(`${scheme}://`)) && URL.canParse(text);
  const schema = z
    .string()
    .refine(isAllowed)
    .transform((text) => text.replace(/\/+$/, ''));
  return setting<string | D>(
    options,
    schema,
    `an address beginning with ${options.schemes.map((each) => `${each}://`).join(' or ')}`,
  );
}

function setting<T>(options: Common<T>, schema: z.ZodType<T, string>, allowed: string, secret = false): Setting<T> {
  return { schema, default: options.default, allowed, description: options.description, secret };
}

/** `DATA_DIR` -> `--data-dir` */
export function flagOfSetting(name: string): string {
  return `--${name.toLowerCase().replaceAll('_', '-')}`;
}

/** What command-line flags say, from options named as flags are in programs (`dataDir`). Other options are left alone. */
export function settingsFromFlags(table: SettingsTable, options: Record<string, unknown>): SettingsSource {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(table)) {
    const optionName = name.toLowerCase().replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
    if (options[optionName] !== undefined) values[name] = options[optionName];
  }
  return { name: 'flag', values, strict: true };
}

/**
 * What a configuration file says.
 * @param parse reads and parses the file; whatever it throws is told with the file's name
 * @throws SettingsError
 */
export function settingsFromFile(path: string, parse: (path: string) => unknown): SettingsSource {
  let values: unknown;
  try {
    values = parse(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingsError([`--config ${path}: cannot be read: ${reason}`], { cause: error });
  }
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw new SettingsError([`--config ${path}: it must hold lines of the form NAME: value`]);
  }
  return { name: path, values: { ...values }, strict: true };
}

/**
 * The value of every setting: the last source that has it wins.
 * @throws SettingsError with every problem at once
 */
export function readSettings<Table extends SettingsTable>(
  table: Table,
  sources: SettingsSource[],
): SettingValues<Table> {
  const problems: string[] = [];
  for (const source of sources.filter(({ strict }) => strict)) {
    for (const name of Object.keys(source.values).filter((each) => !Object.hasOwn(table, each))) {
      problems.push(`${name} (${source.name}): no such setting; allowed: ${Object.keys(table).join(', ')}`);
    }
  }
  const values: Record<string, unknown> = {};
  for (const [name, definition] of Object.entries(table)) {
    const source = sources.findLast((each) => isSet(each.values[name]));
    if (source === undefined) {
      values[name] = definition.default;
      continue;
    }
    const given = source.values[name];
    const parsed = typeof given === 'object' ? undefined : definition.schema.safeParse(String(given));
    if (parsed?.success) values[name] = parsed.data;
    else problems.push(problem({ name, source: source.name, given, definition }));
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return values as SettingValues<Table>;
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

function problem(found: { name: string; source: string; given: unknown; definition: SettingsTable[string] }): string {
  const { name, source, given, definition } = found;
  const value = definition.secret ? 'this value' : JSON.stringify(given);
  return `${name} (${source}): ${value} is not allowed; allowed: ${definition.allowed}`;
}
