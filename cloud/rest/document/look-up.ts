/** Finds what a table says of a property of a schema. Pure. */

/**
 * The way to a property: the schema or operation that has it, then the properties that enclose it, then its own name. A way that begins
 * with several names (`NewWeblink`, `Weblink`) is looked up by each of them.
 */
export interface PropertyPath {
  owners: readonly string[];
  names: readonly string[];
}

/**
 * The keys under which a table may have an entry, the most precise first: of `['Tariff'], ['windows', 'price']` these are
 * `Tariff.windows.price`, `windows.price`, `price`.
 */
export function keysOf({ owners, names }: PropertyPath): string[] {
  const inner = names.map((_name, at) => names.slice(at).join('.'));
  return [...owners.map((owner) => `${owner}.${inner[0]}`), ...inner];
}

/** The first entry that one of the tables has, tables that stand first going before; undefined for none. */
export function lookUp<T>(path: PropertyPath, ...tables: readonly Readonly<Record<string, T>>[]): T | undefined {
  for (const table of tables) {
    const key = keysOf(path).find((each) => Object.hasOwn(table, each));
    if (key !== undefined) return table[key];
  }
  return undefined;
}

/** The schema's own name, and that of the one which it extends: `NewApiToken` and `SessionWithReadings` show the keys of `ApiToken` and `Session`. */
export function ownersOfSchema(name: string): string[] {
  const base = name.replace(/^New(?=[A-Z])|With[A-Z]\w*$/g, '');
  return base === name ? [name] : [name, base];
}

/** An operation's own name, and the thing that it is about: `updateZone` shares what is said of `Zone`. */
export function ownersOfOperation(operationId: string): string[] {
  const thing = operationId.replace(/^[a-z]+/, '');
  return thing === '' ? [operationId] : [operationId, thing];
}
