/** Two accounts as a test needs them: lots, users of each role, API tokens. */
import type { Passwords } from '../../../cloud/kernel/secrets/passwords.js';
import { hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import type { CloudStore, Db } from '../../../cloud/kernel/store/cloud-store.js';
import type { EventPayload } from '../../../shared/events/event-schemas.js';
import { accountRow } from '../../conformance/account-row.js';
import { quickPasswords } from '../../world/quick-passwords.js';

export const PASSWORD = 'long pass phrase';

export interface Site {
  harbour: number;
  rival: number;
  /** Lots of Harbour. */
  north: number;
  south: number;
  rivalLot: number;
  owner: number;
  guard: number;
}

/** Tokens of Harbour's Super Admin (all lots), its Attendant (North), its integration, and of the rival. */
export const OWNER_TOKEN = 'owner-token';
export const GUARD_TOKEN = 'guard-token';
export const API_TOKEN = 'harbour-api-token';
export const RIVAL_TOKEN = 'rival-api-token';

const NOW = Date.UTC(2026, 0, 1);
const times = { created_at: NOW, updated_at: NOW };

/** @param passwords those of the cloud that is to know the users */
export async function seedSite(store: CloudStore, passwords: Passwords = quickPasswords): Promise<Site> {
  const password_hash = await passwords.hash(PASSWORD);
  return store.change(async (tx) => {
    const account = (name: string) => insertId(tx, 'accounts', accountRow(name));
    const harbour = await account('Harbour');
    const rival = await account('Rival');
    const lot = (account_id: number, name: string) =>
      insertId(tx, 'lots', {
        account_id,
        name,
        address: '',
        timezone: 'Europe/Zagreb',
        latitude: null,
        longitude: null,
        offline_exit: 'open',
        autonomy_days: 31,
        ...times,
      });
    const north = await lot(harbour, 'North');
    const south = await lot(harbour, 'South');
    const rivalLot = await lot(rival, 'Rival lot');
    const user = async (options: { account: number; role: number; email: string; lots: number[]; confirmed?: 0 }) => {
      const id = await insertId(tx, 'account_users', {
        account_id: options.account,
        account_user_role_id: options.role,
        email: options.email,
        name: options.email,
        phone: '',
        language_tag: 'en',
        country_code: 'HR',
        email_confirmed: options.confirmed ?? 1,
        password_hash,
        ...times,
      });
      for (const lot_id of options.lots) {
        await tx.insertInto('account_user_lots').values({ account_user_id: id, lot_id }).execute();
      }
      return id;
    };
    const owner = await user({ account: harbour, role: 1, email: 'owner@harbour.example', lots: [north, south] });
    const guard = await user({ account: harbour, role: 3, email: 'guard@harbour.example', lots: [north] });
    await user({ account: harbour, role: 2, email: 'new@harbour.example', lots: [north], confirmed: 0 });
    await user({ account: rival, role: 1, email: 'owner@rival.example', lots: [rivalLot] });
    const userToken = (account_user_id: number, token: string) =>
      insertId(tx, 'user_tokens', {
        account_user_id,
        type: 'user',
        token_hash: hashToken(token),
        created_at: NOW,
        expires_at: Number.MAX_SAFE_INTEGER,
      });
    await userToken(owner, OWNER_TOKEN);
    await userToken(guard, GUARD_TOKEN);
    const apiToken = (account_id: number, token: string) =>
      insertId(tx, 'api_tokens', { account_id, name: token, token_hash: hashToken(token), ...times });
    await apiToken(harbour, API_TOKEN);
    await apiToken(rival, RIVAL_TOKEN);
    return { harbour, rival, north, south, rivalLot, owner, guard };
  });
}

type InsertTable = 'accounts' | 'lots' | 'account_users' | 'user_tokens' | 'api_tokens';

async function insertId(tx: Db, table: InsertTable, row: object): Promise<number> {
  const { id } = await tx
    .insertInto(table)
    .values(row as never)
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export interface JournalInput {
  account_id: number;
  lot_id: number;
  /** Stands in the payload, so that a test knows the event again. */
  uuid: string;
  isKept?: boolean;
}

/** Records gateway_status events in one transaction. */
export function journalEvents(store: CloudStore, ...events: JournalInput[]): Promise<void> {
  return store.change(async (tx) => {
    for (const { uuid, ...event } of events) {
      const payload: EventPayload<'gateway_status'> = { uuid, status: 'online' };
      tx.journal({ ...event, event: 'gateway_status', payload });
    }
  });
}
