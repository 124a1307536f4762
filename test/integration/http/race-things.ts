/** What a race is about: fresh things for each attempt, made over REST, and every write with what it refers to. */
import { type Kind, LEAST_THINGS, leastBody } from './least-things.js';
import { SMALLEST_PICTURE } from './rest-everything.js';
import { insertTerminal, type RestWorld } from './rest-world.js';
import { type OpenApiDocument, type OpenApiOperation, operationsOf } from '../../contract/openapi-document.js';
import { noteHeard } from '../product/note-heard.js';

/** Things of one attempt. Each kind is made when it is first named, with all that it needs. */
export interface Attempt {
  /** Differs in each attempt, for values that must be unique. */
  readonly number: number;
  id(kind: Kind): Promise<number | string>;
  /** The kinds that were made so far. */
  kinds(): Kind[];
}

const START = '2026-01-01T00:00:00.000Z';

/** Bodies of further writes that name things. */
const NAMING: Record<string, (attempt: Attempt) => Promise<Record<string, unknown>>> = {
  'PATCH /v2/key-logs': async ({ id }) => ({ ids: [await id('/v2/key-logs')], status: 'blocked' }),
  'POST /v2/key-logs/resend': async ({ id }) => ({ ids: [await id('/v2/key-logs')] }),
  'PATCH /v2/members': async ({ id }) => ({ ids: [await id('/v2/members')], blocked_reason: 'unpaid' }),
  'POST /v2/members/delete': async ({ id }) => ({ ids: [await id('/v2/members')] }),
  'POST /v2/operation-keys': async ({ id }) => ({
    start_time: START,
    products: [String(await id('/v2/products'))],
    receiver_emails: ['guest@race.example'],
  }),
};

/** Bodies of writes that make nothing. */
const BODIES: Record<string, Record<string, unknown>> = {
  'POST /v2/products/{id}/state': { operation: 'open' },
  'POST /v2/products/{id}/settings': { autoclose_time: 20 },
  'POST /v2/products/{id}/pair': { label_secret: 'ab'.repeat(16) },
  'POST /v2/lots/{id}/release': { hold: 1 },
  'POST /v2/lpr-cameras/{id}/setup': { mode: 'plan' },
  'POST /v2/rgb-displays/{id}/test': { text: 'Test' },
  'PUT /v2/lots/{id}/plan': { items: [] },
  'POST /v2/sessions/{id}/payments': { amount: 1, overpays: true },
  'PATCH /v2/sessions/{id}': { discount_time: 15 },
  'PATCH /v2/plate-readings/{id}': { plate: 'ZG 2' },
  'PATCH /v2/webhooks/{id}': { is_active: 0 },
  'PATCH /v2/weblinks/{id}': { end_time: '2027-01-01T00:00:00.000Z' },
  'PATCH /v2/account': { mask_plates: 0 },
  'PUT /v2/account/logo': { image: SMALLEST_PICTURE },
  'PATCH /v2/account-users/profile': { phone: '+385 1' },
};

/** The kinds that fields with ids name. */
const NAMED: Record<string, Kind> = {
  lot: '/v2/lots',
  zone: '/v2/zones',
  tariff: '/v2/tariffs',
  member: '/v2/members',
  group: '/v2/groups',
  gateway: '/v2/gateways',
  parking_gateway: '/v2/parking-gateways',
  product: '/v2/products',
  rgb_display: '/v2/rgb-displays',
};

/** What no race is about: what is no thing's, what needs a device or a link that was sent, what is done later, and what is another route by its other name. */
const LEFT_OUT =
  /\/key-invitations\/|\/auth\/|\/claim$|\/redeliver$|^POST \/v2\/releases\/|^POST \/v2\/terminals$|\/weblinks\/\{id\}\/|plate-readings|sightings|member-imports|\/logout$/;

export interface Write {
  route: string;
  method: string;
  path: string;
  /** The field of the body by which it names one more thing; null: it says as little as it may. */
  field: string | null;
}

/** Every write of the document: once with what it needs, and once for each further field that names a thing. */
export function writesOf(document: OpenApiDocument): Write[] {
  return operationsOf(document).flatMap(({ method, path, operation }) => {
    const route = `${method} ${path}`;
    if (!['POST', 'PUT', 'PATCH'].includes(method) || LEFT_OUT.test(route)) return [];
    const fields = fieldsOfBody(operation, document).filter((field) => kindOfField(field) !== undefined);
    return [null, ...fields].map((field) => ({ route, method, path, field }));
  });
}

/** The routes that delete single things of a list. */
export const deletionsOf = (document: OpenApiDocument): Kind[] =>
  operationsOf(document).flatMap(({ method, path }) =>
    method === 'DELETE' && /^\/v2\/[\w-]+\/\{id\}$/.test(path) ? [path.replace('/{id}', '')] : [],
  );

/** The fields of an operation's body. */
export function fieldsOfBody(operation: OpenApiOperation, document: OpenApiDocument): string[] {
  const given = operation.requestBody?.content['application/json']?.schema ?? {};
  const name = typeof given.$ref === 'string' ? given.$ref.split('/').at(-1) : undefined;
  const schema = name === undefined ? given : (document.components.schemas[name] ?? {});
  return Object.keys((schema.properties as object | undefined) ?? {});
}

/** What a field with ids names. */
export const kindOfField = (field: string): Kind | undefined => {
  const [, noun] = /^(\w+)_ids?$/.exec(field) ?? [];
  return noun === undefined ? undefined : NAMED[noun];
};

export function createAttempts(world: RestWorld) {
  let attempts = 0;

  function begin(): Attempt {
    const made = new Map<Kind, number | string>();
    attempts += 1;
    const attempt: Attempt = {
      number: attempts,
      async id(kind) {
        const known = made.get(kind) ?? (await make(world, kind, attempt));
        made.set(kind, known);
        return known;
      },
      kinds: () => [...made.keys()],
    };
    return attempt;
  }

  /** Makes what the write refers to. @returns what to ask */
  async function prepare(write: Write, attempt: Attempt): Promise<{ path: string; json: Record<string, unknown> }> {
    const path = await fillPath(write.path, attempt);
    const base = BODIES[write.route] ?? (await NAMING[write.route]?.(attempt)) ?? (await bodyOfMaking(write, attempt));
    const { field } = write;
    const kind = field === null ? undefined : kindOfField(field);
    const named = field === null || kind === undefined ? {} : { [field]: valueOf(field, await attempt.id(kind)) };
    const isEmpty = Object.keys({ ...base, ...named }).length === 0;
    const json = isEmpty && write.method === 'PATCH' ? { name: 'Renamed' } : { ...base, ...named };
    if (write.path.startsWith('/v2/products/{id}/')) {
      const gateway_id = Number(await attempt.id('/v2/gateways'));
      const product_id = Number(await attempt.id('/v2/products'));
      await noteHeard({ ...world.cloud, ...world.cloud.commandParts }, product_id, { gateway_id, rssi: -50 });
    }
    return { path, json };
  }

  return { begin, prepare };
}

const bodyOfMaking = async ({ method, path }: Write, { number, id }: Attempt): Promise<Record<string, unknown>> =>
  method === 'POST' && LEAST_THINGS.has(path) ? leastBody(path, number, id) : {};

const valueOf = (field: string, id: number | string) => (field.endsWith('_ids') ? [id] : id);

async function make(world: RestWorld, kind: Kind, attempt: Attempt): Promise<number | string> {
  if (kind === '/v2/terminals') {
    const { store } = world.cloud;
    const device_id = `terminal-${attempt.number}`;
    return insertTerminal(store, { account_id: world.site.harbour, zone_id: null, device_id });
  }
  if (kind === '/v2/mails' || kind === '/v2/operation-tokens') {
    const column = kind === '/v2/mails' ? 'invitation_mail_id' : 'operation_token_id';
    const key = await world.cloud.store.reader
      .selectFrom('key_logs')
      .select(column)
      .where('id', '=', Number(await attempt.id('/v2/key-logs')))
      .executeTakeFirstOrThrow();
    return Object.values(key)[0] as number;
  }
  const body = await leastBody(kind, attempt.number, attempt.id);
  const { id } = await world.post(await fillPath(kind, attempt), body);
  return id as number | string;
}

async function fillPath(path: string, attempt: Attempt): Promise<string> {
  let filled = path;
  if (path.includes('{id}')) filled = filled.replace('{id}', String(await attempt.id(path.split('/{', 1)[0] ?? '')));
  if (path.includes('{memberId}')) filled = filled.replace('{memberId}', String(await attempt.id('/v2/members')));
  return filled;
}
