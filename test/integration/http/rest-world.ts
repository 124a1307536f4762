/** The cloud over HTTP with a manager in each account, and what the tests of managed resources ask of it. */
import { expect } from 'vitest';
import { hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import { OWNER_TOKEN, RIVAL_TOKEN } from './http-site.js';
import { type Answer, type CloudWorld, startCloudWorld, type WorldOptions } from './http-world.js';
import { seedSessionSite, type SessionSite } from '../session/session-site.js';

/** Of an Admin of Harbour, with North only. */
export const ADMIN_TOKEN = 'admin-token';

export interface RestWorld {
  cloud: CloudWorld;
  site: SessionSite;
  admin: number;
  /** Asks as Harbour's Super Admin, or as whose token it is, and expects success. */
  get<T = Record<string, unknown>>(path: string, token?: string): Promise<T>;
  post<T = Record<string, unknown>>(path: string, json: unknown, token?: string): Promise<T>;
  patch<T = Record<string, unknown>>(path: string, json: unknown, token?: string): Promise<T>;
  remove<T = Record<string, unknown>>(path: string, token?: string): Promise<T>;
  ids(path: string, token?: string): Promise<number[]>;
  /** The status and the errors' codes with their fields. */
  refused(method: string, path: string, json?: unknown, token?: string): Promise<[number, ...string[]]>;
  /** The lots whose gateways were to be told since the last call, each once. */
  notified(): (number | null)[];
}

export async function startRestWorld(options: WorldOptions = {}): Promise<RestWorld> {
  const cloud = await startCloudWorld(options);
  const site = await seedSessionSite(cloud);
  const admin = await seedAdmin(cloud);
  const ask = (method: string, path: string, json?: unknown, token: string = OWNER_TOKEN): Promise<Answer> =>
    cloud.ask(method, path, { token, ...(json === undefined ? {} : { json }) });
  const done = async <T>(method: string, path: string, json?: unknown, token?: string): Promise<T> => {
    const { status, body } = await ask(method, path, json, token);
    expect([method, path, status, body.errors]).toEqual([method, path, 200, undefined]);
    return body.data as T;
  };
  return {
    cloud,
    site,
    admin,
    get: (path, token) => done('GET', path, undefined, token),
    post: (path, json, token) => done('POST', path, json, token),
    patch: (path, json, token) => done('PATCH', path, json, token),
    remove: (path, token) => done('DELETE', path, undefined, token),
    ids: async (path, token) => (await done<{ id: number }[]>('GET', path, undefined, token)).map(({ id }) => id),
    async refused(method, path, json, token) {
      const { status, body } = await ask(method, path, json, token);
      return [status, ...(body.errors ?? []).map(({ code, field }) => `${code} ${field ?? ''}`.trim())];
    },
    notified() {
      const lots = cloud.notified.splice(0).flatMap((each) => ('lot_id' in each ? [each.lot_id] : []));
      return [...new Set(lots)];
    },
  };
}

export { OWNER_TOKEN, RIVAL_TOKEN };

async function seedAdmin({ store }: CloudWorld): Promise<number> {
  return store.change(async (tx) => {
    const { id } = await tx
      .selectFrom('account_users')
      .select('id')
      .where('email', '=', 'new@harbour.example')
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('user_tokens')
      .values({
        account_user_id: id,
        type: 'user',
        token_hash: hashToken(ADMIN_TOKEN),
        created_at: 1,
        expires_at: Number.MAX_SAFE_INTEGER,
      })
      .execute();
    return id;
  });
}

/** A terminal that has registered. */
export async function insertTerminal(
  store: CloudStore,
  changed: Partial<NewRow<'terminals'>> & { account_id: number },
): Promise<number> {
  return store.change(async (tx) => {
    const { id } = await tx
      .insertInto('terminals')
      .values({
        zone_id: null,
        device_id: 'term-1',
        name: 'Pay station',
        status: 'online',
        type: 'pof',
        is_master: 1,
        mac: '02:00:00:00:00:01',
        public_key: null,
        ip_address: '192.0.2.7',
        version: '1.2.3',
        pos_serial_number: null,
        electronic_device_id: null,
        system_currency: null,
        last_seen: null,
        created_at: 1_000,
        updated_at: 1_000,
        ...changed,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  });
}
