/**
 * Settings as a typed table with the name, the allowed values and the default of each one. Both programs read their environment, file and
 * flags by this module, so their messages about wrong values are the same.
 */
import { z } from 'zod';
import { isBaseAddress, isPublicServerAddress } from './server-address.js';

export interface Setting<T> {
  /** Parses the text of a value. */
  schema: z.ZodType<T, string>;
  default: T;
  /** The allowed values, for people; follows "allowed: " in a message. */
  allowed: string;
  description: string;
  /** Whether messages must not contain its value. */
  secret: boolean;
}

/** A setting of any type. */
export type AnySetting = Setting<never> | Setting<unknown>;
type SettingsTable = Record<string, AnySetting>;
export type SettingValues<Table> = { [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never };

/** Names and values from one source. An empty text means that the setting is not set there. */
export interface SettingsSource {
  /** The name of the source in messages: `environment`, `flag`, or the name of a file. */
  name: string;
  values: Record<string, unknown>;
  /** Whether the source contains settings only, so that an unknown name is an error. */
  strict: boolean;
  /** Further names that are allowed in a strict source although this program has no such settings. */
  otherNames?: readonly string[];
  /** The line of each name, when the source is a file. */
  lines?: ReadonlyMap<string, number>;
}

/**
 * The settings are wrong, and the program exits with code 2. Each line of the message is one problem, with the setting's name and what is
 * allowed.
 */
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
  options: Common<D> & { pattern?: RegExp; isAllowed?: (text: string) => boolean; allowed: string; secret?: boolean },
) {
  const { pattern = /^/, isAllowed = () => true } = options;
  const schema = z.string().regex(pattern).refine(isAllowed);
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

export function choiceSetting<const Choice extends string, const D extends NoInfer<Choice> | null>(
  options: Common<D> & { choices: readonly Choice[] },
) {
  return setting<Choice | D>(options, z.enum(options.choices), options.choices.join(', '));
}

/** A setting whose value is a URL with one of the schemes, to which a path is appended: a trailing slash is removed. */
export function urlSetting<D extends string | null>(options: Common<D> & { schemes: readonly string[] }) {
  const isAllowed = (text: string) => isBaseAddress(text, options.schemes);
  return addressSetting(options, isAllowed, ', without a query or fragment');
}

/** A setting whose value is the address of a server alone: a scheme, a host and perhaps a port. A trailing slash is removed. */
export function serverAddressSetting<D extends string | null>(options: Common<D> & { schemes: readonly string[] }) {
  const isAllowed = (text: string) => isPublicServerAddress(text, options.schemes);
  return addressSetting(options, isAllowed, ', with nothing after its host and port (no path), and no user');
}

function addressSetting<D extends string | null>(
  options: Common<D> & { schemes: readonly string[] },
  isAllowed: (text: string) => boolean,
  more: string,
) {
  const schema = z
    .string()
    .refine(isAllowed)
    .transform((text) => text.replace(/\/+$/, ''));
  const schemes = options.schemes.map((each) => `${each}://`).join(' or ');
  return setting<string | D>(options, schema, `an address beginning with ${schemes}${more}`);
}

function setting<T>(options: Common<T>, schema: z.ZodType<T, string>, allowed: string, secret = false): Setting<T> {
  return { schema, default: options.default, allowed, description: options.description, secret };
}

/** `DATA_DIR` -> `--data-dir` */
export function flagOfSetting(name: string): string {
  return `--${name.toLowerCase().replaceAll('_', '-')}`;
}

/** Returns the settings among the command-line options, which have their names in code (`dataDir`). Other options are ignored. */
export function settingsFromFlags(table: SettingsTable, options: Record<string, unknown>): SettingsSource {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(table)) {
    const optionName = name.toLowerCase().replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
    if (options[optionName] !== undefined) values[name] = options[optionName];
  }
  return { name: 'flag', values, strict: true };
}

/**
 * Returns the value of every setting. The last source that sets it wins.
 * @throws SettingsError with every problem at once
 */
export function readSettings<Table extends SettingsTable>(
  table: Table,
  sources: SettingsSource[],
): SettingValues<Table> {
  const problems: string[] = [];
  for (const source of sources.filter(({ strict }) => strict)) {
    const isMistake = (name: string) => !Object.hasOwn(table, name) && !source.otherNames?.includes(name);
    for (const name of Object.keys(source.values).filter(isMistake)) {
      problems.push(`${name} (${placeOf(source, name)}): no such setting; allowed: ${Object.keys(table).join(', ')}`);
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
    else problems.push(problem({ name, place: placeOf(source, name), given, definition }));
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return values as SettingValues<Table>;
}

/** Names the place where a value is set: `environment`, `flag`, `site.env:3`. */
function placeOf({ name, lines }: SettingsSource, settingName: string): string {
  const line = lines?.get(settingName);
  return line === undefined ? name : `${name}:${line}`;
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

function problem(found: { name: string; place: string; given: unknown; definition: SettingsTable[string] }): string {
  const { name, place, given, definition } = found;
  // An address with a user has a password too.
  const isSecret = definition.secret || /:\/\/[^/]*@/.test(String(given));
  const value = isSecret ? 'this value' : JSON.stringify(given);
  return `${name} (${place}): ${value} is not allowed; allowed: ${definition.allowed}`;
}
