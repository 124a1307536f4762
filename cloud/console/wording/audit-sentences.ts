/** Entries of the audit log in words. */
import type { ConsoleWords } from './en.js';
import { conditionWithShownPlates, withShownPlates } from './masked-plate.js';

export interface AuditFacts {
  actor_type: keyof ConsoleWords['audit']['actors'];
  actor_id: number | null;
  /** `zone.update`, `product.state` */
  action: string;
  /** `zone 3`; `group 5, member 7` */
  target: string;
  details: Readonly<Record<string, unknown>>;
}

/** Names by id; an id without a name is of something deleted. */
export interface AuditNames {
  /** By their ids. */
  users: ReadonlyMap<number, string>;
  tokens: ReadonlyMap<number, string>;
  /** As targets name them: `zone 3`. */
  things: ReadonlyMap<string, string>;
}

/** `Olga changed zone 3 (Level 0)`. An action or a thing without a word of its own stands as the service names it. */
export function auditSentence(entry: AuditFacts, names: AuditNames, words: ConsoleWords): string {
  const { action, target } = entry;
  const { verbs } = words.audit;
  const verb = verbs[action] ?? verbs[action.split('.').at(-1) ?? ''] ?? action;
  const actor = actorName(entry, names, words);
  // Who signs in is not named twice.
  const isSelf = entry.actor_type === 'user' && target === `account user ${entry.actor_id}`;
  if (isSelf && action.startsWith('auth.')) return `${actor} ${verb.replace(/:$/, '')}`;
  const operation = operationOf(entry, words);
  return `${actor} ${verb} ${targetName(target, names, words)}${operation === undefined ? '' : `: ${operation}`}`;
}

/** What was asked of a product, as its button says it. */
function operationOf({ details: { values } }: AuditFacts, { operations }: ConsoleWords): string | undefined {
  const name = typeof values === 'object' && values !== null && 'operation' in values ? values.operation : undefined;
  return typeof name === 'string' && Object.hasOwn(operations, name)
    ? operations[name as keyof typeof operations]
    : undefined;
}

function targetName(target: string, names: AuditNames, { audit }: ConsoleWords): string {
  return target
    .split(', ')
    .map((part) => {
      const [noun = part] = /^[a-z ]*[a-z](?= |$)/.exec(part) ?? [];
      const name = names.things.get(part) ?? (noun === 'account user' ? nameOfUser(part, names) : undefined);
      return `${audit.things[noun] ?? noun}${part.slice(noun.length)}${name === undefined ? '' : ` (${name})`}`;
    })
    .join(', ');
}

const nameOfUser = (part: string, { users }: AuditNames): string | undefined =>
  users.get(Number(part.split(' ').at(-1)));

/** Who did it: a person by the name alone, others by what they are, too. */
export function actorName(
  { actor_type, actor_id }: Pick<AuditFacts, 'actor_type' | 'actor_id'>,
  names: Pick<AuditNames, 'users' | 'tokens'> & Partial<Pick<AuditNames, 'things'>>,
  { audit }: ConsoleWords,
): string {
  const kind = audit.actors[actor_type];
  if (actor_type === 'gateway') return audit.actor(kind, names.things?.get(`gateway ${actor_id}`) ?? `#${actor_id}`);
  const known = { user: names.users, api_token: names.tokens, operator: null, public: null, system: null }[actor_type];
  if (known === null || actor_id === null) return kind;
  const name = known.get(actor_id);
  if (actor_type === 'user' && name !== undefined) return name;
  return audit.actor(kind, name ?? `#${actor_id}`);
}

/** Why it was done, in the person's words; null: nobody said. */
export function reasonOf({ values }: Readonly<Record<string, unknown>>): string | null {
  const said = typeof values === 'object' && values !== null && 'reason' in values ? values.reason : null;
  return typeof said === 'string' ? said : null;
}

/** What an entry knows, with what is shown of the plates in it. @param show what is shown of one */
function shownDetails({ details }: Pick<AuditFacts, 'details'>, show: (plate: string) => string): [string, unknown][] {
  const { filter, ...others } = details;
  const conditions = (Array.isArray(filter) ? filter : []).map((each) =>
    typeof each === 'string' ? conditionWithShownPlates(each, show) : each,
  );
  return Object.entries({
    ...(withShownPlates(others, show) as object),
    ...(filter === undefined ? {} : { filter: conditions }),
  });
}

/** The plates that an entry names. */
export function platesIn(entry: Pick<AuditFacts, 'details'>): string[] {
  const found = new Set<string>();
  shownDetails(entry, (plate) => {
    if (plate !== '') found.add(plate);
    return plate;
  });
  return [...found];
}

/** What an entry knows beyond its sentence, each with its name. @param show what is shown of a plate */
export function detailLines(
  entry: Pick<AuditFacts, 'action' | 'target' | 'details'>,
  { audit }: ConsoleWords,
  show: (plate: string) => string,
): (readonly [name: string, value: string])[] {
  const { action, target } = entry;
  const named: Record<string, string> = {
    keys: audit.given,
    values: audit.values,
    filter: audit.filter,
    address: audit.address,
  };
  const known = shownDetails(entry, show).map(([key, value]) => [named[key] ?? key, textOf(value)] as const);
  return [...known, [audit.code, `${action}: ${target}`]];
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ') || '–';
  if (typeof value === 'object' && value !== null)
    return (
      Object.entries(value)
        .map(([key, each]) => `${key}: ${textOf(each)}`)
        .join(', ') || '–'
    );
  return value === null || value === '' ? '–' : String(value);
}
