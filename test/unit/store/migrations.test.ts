/** Migrations: their numbers, and databases that earlier releases made. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kysely, type Migration, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { majorUnits } from '../../../cloud/kernel/price/money.js';
import { decodeWindows } from '../../../cloud/traffic/tariff/tariff-window-codec.js';
import { migrateToLatest } from '../../../cloud/kernel/store/migrate.js';
import { MIGRATIONS, RENAMED_MIGRATIONS } from '../../../cloud/kernel/store/migrations/all-migrations.js';
import type { Database } from '../../../cloud/kernel/store/schema.js';
import { readQuarters } from '../../../cloud/traffic/occupancy/occupancy-history-queries.js';
import { openSqliteConnection } from '../../../cloud/kernel/store/sqlite/sqlite-connection.js';
import { createSqliteDialect } from '../../../cloud/kernel/store/sqlite/sqlite-dialect.js';
import { createCloudStore } from '../../../cloud/kernel/store/sqlite/sqlite-store.js';
import { silentLogger } from '../../../shared/logger.js';
import { accountRow } from '../../conformance/account-row.js';
import { FakeClock } from '../../world/fake-clock.js';

const numberOf = (name: string) => name.slice(0, 4);

describe('the numbers of migrations', () => {
  const files = readdirSync(fileURLToPath(new URL('../../../../cloud/kernel/store/migrations/', import.meta.url)))
    .filter((name) => /^\d/.test(name))
    .map((name) => name.replace(/\.ts$/, ''))
    .toSorted();

  it('are unique and without a gap, and each file is one migration', () => {
    expect(files).toEqual(Object.keys(MIGRATIONS));
    expect(files.map(numberOf)).toEqual(files.map((_, index) => String(index + 1).padStart(4, '0')));
  });

  it('are in the order in which earlier releases ran them', () => {
    const earlier = Object.keys(RENAMED_MIGRATIONS).toSorted();
    expect(earlier.map((name) => RENAMED_MIGRATIONS[name])).toEqual(Object.values(RENAMED_MIGRATIONS).toSorted());
    expect(Object.values(RENAMED_MIGRATIONS).every((name) => name in MIGRATIONS)).toBe(true);
    expect(Object.keys(RENAMED_MIGRATIONS).filter((name) => name in MIGRATIONS)).toEqual([]);
  });
});

/** The migrations of the release before the numbers were made unique, by the names it gave them. */
const earlierName = (name: string) => Object.entries(RENAMED_MIGRATIONS).find(([, now]) => now === name)?.[0] ?? name;
const EARLIER: Record<string, Migration> = Object.fromEntries(
  Object.entries(MIGRATIONS)
    .filter(([name]) => name <= '0011-camera-problem')
    .map(([name, migration]) => [earlierName(name), migration]),
);

describe('a database that an earlier release made', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'migrations-'));
    path = join(directory, 'cloud.db');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  async function inDatabase<T>(work: (db: Kysely<Database>) => Promise<T>): Promise<T> {
    const connection = await openSqliteConnection({ path, readonly: false, busyTimeoutMs: 5_000 });
    const db = new Kysely<Database>({ dialect: createSqliteDialect({ connection, begin: 'begin immediate' }) });
    try {
      return await work(db);
    } finally {
      await db.destroy();
    }
  }
  const openStore = () => createCloudStore({ url: `sqlite:${path}`, clock: new FakeClock(), logger: silentLogger });
  const names = () =>
    inDatabase(async (db) => {
      const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
      return rows.map(({ name }) => name);
    });
  const tables = () =>
    inDatabase(async (db) => {
      const { rows } = await sql<{ sql: string }>`select sql from sqlite_master where sql is not null`.execute(db);
      return rows.map((row) => row.sql).toSorted();
    });

  async function fresh(): Promise<string[]> {
    const store = await openStore();
    await store.migrate();
    await store.close();
    const made = await tables();
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    return made;
  }

  it('is brought up to date without running anything twice', async () => {
    const expected = await fresh();
    await inDatabase((db) => migrateToLatest(db, EARLIER));
    expect(await names()).toEqual(Object.keys(EARLIER).toSorted());
    const store = await openStore();
    expect(await store.migrate()).toEqual(Object.keys(MIGRATIONS).slice(Object.keys(EARLIER).length));
    expect(await store.migrate()).toEqual([]);
    await store.close();
    expect(await names()).toEqual(Object.keys(MIGRATIONS));
    expect(await tables()).toEqual(expected);
  });

  it.each(Object.keys(EARLIER).map((name, index) => [name, index + 1] as const))(
    'is, too, when the last that ran was %s',
    async (_, count) => {
      const expected = await fresh();
      await inDatabase((db) => migrateToLatest(db, Object.fromEntries(Object.entries(EARLIER).slice(0, count))));
      const store = await openStore();
      expect(await store.migrate()).toEqual(Object.keys(MIGRATIONS).slice(count));
      await store.close();
      expect(await tables()).toEqual(expected);
    },
  );

  it('keeps what its sessions cost and owe by its tariffs', async () => {
    const before = Object.entries(MIGRATIONS).filter(([name]) => name < '0018');
    await inDatabase(async (db) => {
      await migrateToLatest(db, Object.fromEntries(before));
      await db.insertInto('accounts').values(accountRow('Harbour')).execute();
      await sql`insert into lots (id, account_id, name, address, timezone, offline_exit, autonomy_days, created_at, updated_at)
        values (1, 1, 'North', '', 'Europe/Zagreb', 'open', 31, 1, 1)`.execute(db);
      const mornings = '[{"days":[1,2,3,4,5,6,7],"start":"00:00","end":"12:00","price":0,"step_minutes":60}]';
      await sql`insert into tariffs (id, account_id, name, currency, vat, free_minutes, price_minor, step_minutes,
        daily_max_minor, windows, created_at, updated_at)
        values (4, 1, 'Public', 'JPY', '', 0, 200, 60, null, ${mornings}, 1, 5)`.execute(db);
      const hour = 3_600_000;
      // From 10:00 to 14:00 in Zagreb; with a discount of an hour; open; of a tariff that was deleted; without one.
      const noon = Date.UTC(2026, 0, 15, 11);
      for (const [id, tariff_id, ended_at, discount] of [
        [1, 4, noon + 2 * hour, null],
        [2, 4, noon + 2 * hour, 60],
        [3, 4, null, null],
        [4, 9, noon + 2 * hour, null],
        [5, null, noon + 2 * hour, null],
      ] as const) {
        await sql`insert into sessions (id, uid, public_id, account_id, lot_id, zone_id, tariff_id, plate_normalised,
          entry_type, entry_source_id, ended_at, ended_by_look_alike, discount_time, amount_paid_minor, created_at, updated_at)
          values (${id}, ${`uid ${id}`}, ${`PUBLIC000${id}`}, 1, 1, 1, ${tariff_id}, 'ZG1', 'account', 1, ${ended_at}, 0,
          ${discount}, 100, ${noon - 2 * hour}, 1)`.execute(db);
      }
    });
    const store = await openStore();
    await store.migrate();
    const versions = await store.reader.selectFrom('tariff_versions').selectAll().execute();
    expect(versions).toMatchObject([{ id: 1, tariff_id: 4, valid_from: 5, currency: 'JPY', price_minor: 200 }]);
    const sessions = await store.reader
      .selectFrom('sessions')
      .select(['id', 'tariff_id', 'tariff_version_id', 'currency', 'price_minor'])
      .orderBy('id')
      .execute();
    const priced = { tariff_id: 4, tariff_version_id: 1, currency: 'JPY' };
    const unpriced = { tariff_version_id: null, currency: null, price_minor: null };
    expect(sessions).toEqual([
      { id: 1, ...priced, price_minor: 400 },
      { id: 2, ...priced, price_minor: 200 },
      { id: 3, ...priced, price_minor: null },
      { id: 4, tariff_id: 9, ...unpriced },
      { id: 5, tariff_id: null, ...unpriced },
    ]);
    await store.close();
  });

  it('finds plates in the digits of any script, and keeps one of two that are the same', async () => {
    const before = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0058'));
    const [arabic, latin] = ['\u0661\u0662\u0663ABC', '123ABC'];
    await inDatabase(async (db) => {
      await migrateToLatest(db, before);
      await db.insertInto('accounts').values(accountRow('Harbour')).execute();
      for (const plate of [arabic, '\u4EACA88888', 'ZG1'])
        await sql`insert into members (account_id, name, description, email, license_plate, plate_normalised, created_at, updated_at)
          values (1, 'Mia', '', '', ${plate}, ${plate}, 1, 1)`.execute(db);
      for (const [id, plate] of [
        [1, latin],
        [2, arabic],
        [3, arabic],
      ] as const) {
        await sql`insert into alert_mails (account_id, plate_normalised, receiver_email, plate_reading_id, mailed_at)
          values (1, ${plate}, ${id === 3 ? 'other' : 'desk'}, 1, ${id})`.execute(db);
      }
    });
    const store = await openStore();
    await store.migrate();
    const members = await store.reader.selectFrom('members').select('plate_normalised').orderBy('id').execute();
    expect(members.map((row) => row.plate_normalised)).toEqual([latin, '\u4EACA88888', 'ZG1']);
    const mails = await store.reader.selectFrom('alert_mails').select(['plate_normalised', 'mailed_at']).execute();
    expect(mails).toEqual([
      { plate_normalised: latin, mailed_at: 1 },
      { plate_normalised: latin, mailed_at: 3 },
    ]);
    await store.close();
  });

  it('keeps how full zones and places were, quarter by quarter', async () => {
    const before = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0060'));
    const quarter_ms = 900_000;
    // Full enough that the sum of a quarter passes what an integer of PostgreSQL holds.
    const quarters = [
      { quarter: 2 * quarter_ms, first_count: 3_000, last_count: 3_002, min_count: 3_000, max_count: 3_003 },
      { quarter: 9 * quarter_ms, first_count: 3_002, last_count: 3_001, min_count: 2_999, max_count: 3_002 },
    ].map((row, index) => ({ ...row, area: row.first_count * quarter_ms + 5 - 10 * index, last_at: row.quarter + 7 }));
    await inDatabase(async (db) => {
      await migrateToLatest(db, before);
      for (const { quarter, first_count, last_count, min_count, max_count, area, last_at } of quarters) {
        for (const owner of ['zone', 'place'])
          await sql`insert into occupancy_quarters
            (owner, owner_id, quarter, first_count, last_count, min_count, max_count, area, last_at)
            values (${owner}, 1, ${quarter}, ${first_count}, ${last_count}, ${min_count}, ${max_count}, ${area}, ${last_at})`.execute(
            db,
          );
      }
    });
    const store = await openStore();
    await store.migrate();
    const range = { from: 2 * quarter_ms, to: 10 * quarter_ms };
    for (const owner of ['zone', 'place'] as const) {
      const [, ...kept] = await readQuarters(store.reader, { owner, owner_id: 1 }, range);
      expect(kept).toEqual(quarters);
    }
    await store.close();
  });

  it('keeps the amounts that the tables of the runtime showed, and spells time zones', async () => {
    const before = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0060'));
    const currencies = ['HUF', 'RSD', 'IQD', 'EUR', 'JPY'];
    const shownDigits = (currency: string) =>
      new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
    await inDatabase(async (db) => {
      await migrateToLatest(db, before);
      await db.insertInto('accounts').values(accountRow('Harbour')).execute();
      await sql`insert into lots (id, account_id, name, address, timezone, offline_exit, autonomy_days, created_at, updated_at)
        values (1, 1, 'North', '', 'europe/ZAGREB', 'open', 31, 1, 1)`.execute(db);
      for (const [index, currency] of currencies.entries()) {
        const [id, amount] = [index + 1, 350 * 10 ** shownDigits(currency)];
        const windows = JSON.stringify([{ days: [1], start: '00:00', end: '12:00', price: amount, step_minutes: 60 }]);
        await sql`insert into tariffs (id, account_id, name, currency, vat, free_minutes, price_minor, step_minutes,
          daily_max_minor, windows, created_at, updated_at)
          values (${id}, 1, ${currency}, ${currency}, '', 0, ${amount}, 60, null, ${windows}, 1, 5)`.execute(db);
        await sql`insert into sessions (id, uid, public_id, account_id, lot_id, zone_id, tariff_id, plate_normalised,
          entry_type, entry_source_id, ended_at, ended_by_look_alike, amount_paid_minor, currency, price_minor, created_at, updated_at)
          values (${id}, ${`uid ${id}`}, ${`PUBLIC000${id}`}, 1, 1, 1, ${id}, 'ZG1', 'account', 1, 9, 0,
          ${amount}, ${currency}, ${amount}, 1, 1)`.execute(db);
      }
    });
    const store = await openStore();
    await store.migrate();
    const tariffs = await store.reader.selectFrom('tariffs').selectAll().orderBy('id').execute();
    const shown = (currency: string, amounts: readonly (number | null)[]) =>
      amounts.map((amount) => majorUnits(amount ?? 0, currency));
    for (const { currency, price_minor, daily_max_minor, windows } of tariffs) {
      const [window] = decodeWindows(windows, currency);
      expect([currency, ...shown(currency, [price_minor, daily_max_minor]), window?.price]).toEqual([
        currency,
        350,
        0,
        350,
      ]);
    }
    const sessions = await store.reader.selectFrom('sessions').selectAll().orderBy('id').execute();
    for (const { currency, amount_paid_minor, price_minor } of sessions)
      expect(shown(currency ?? '', [amount_paid_minor, price_minor])).toEqual([350, 350]);
    expect(await store.reader.selectFrom('lots').select('timezone').execute()).toEqual([{ timezone: 'Europe/Zagreb' }]);
    await store.close();
  });

  it('keeps who may see which lot, from then on also when the lot is deleted', async () => {
    const before = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0019'));
    const pairs = [
      { account_user_id: 1, lot_id: 1 },
      { account_user_id: 1, lot_id: 2 },
      { account_user_id: 2, lot_id: 2 },
    ];
    await inDatabase(async (db) => {
      await migrateToLatest(db, before);
      await db.insertInto('accounts').values(accountRow('Harbour')).execute();
      for (const id of [1, 2]) {
        await sql`insert into lots (id, account_id, name, address, timezone, offline_exit, autonomy_days, created_at, updated_at)
          values (${id}, 1, 'Lot', '', 'UTC', 'open', 31, 1, 1)`.execute(db);
        await sql`insert into account_users (id, account_id, account_user_role_id, email, name, phone, language_tag,
            country_code, email_confirmed, password_hash, created_at, updated_at)
          values (${id}, 1, 1, ${`u${id}@x.example`}, '', '', 'en', '', 1, '', 1, 1)`.execute(db);
      }
      await db.insertInto('account_user_lots').values(pairs).execute();
    });
    const store = await openStore();
    await store.migrate();
    const assigned = () =>
      store.reader.selectFrom('account_user_lots').selectAll().orderBy('account_user_id').orderBy('lot_id').execute();
    expect(await assigned()).toEqual(pairs);
    await store.change(async (tx) => {
      await tx.deleteFrom('lots').where('id', '=', 2).execute();
      await tx.deleteFrom('account_users').where('id', '=', 2).execute();
    });
    expect(await assigned()).toEqual(pairs.slice(0, 2));
    const twice = store.change((tx) => tx.insertInto('account_user_lots').values(pairs.slice(0, 1)).execute());
    await expect(twice).rejects.toMatchObject({ code: 'unique' });
    await store.close();
  });

  it('keeps what the broker passwords of its claimed gateways are made of, unless another code was made since', async () => {
    await inDatabase(async (db) => {
      await migrateToLatest(db, EARLIER);
      await db.insertInto('accounts').values(accountRow('Harbour')).execute();
      for (const [name, claimed_at] of [
        ['claimed', 5],
        ['given another code', null],
      ] as const) {
        await sql`insert into gateways (account_id, name, uuid, status, claim_code_hash, claimed_at, mqtt_password_hash, slot,
            slot_generation, created_at, updated_at)
          values (1, ${name}, ${name}, 'offline', ${`code of ${name}`}, ${claimed_at}, 'hash', 1, 0, 1, 1)`.execute(db);
      }
    });
    const store = await openStore();
    await store.migrate();
    expect(
      await store.reader.selectFrom('gateways').select(['name', 'claimed_code_hash']).orderBy('id').execute(),
    ).toEqual([
      { name: 'claimed', claimed_code_hash: 'code of claimed' },
      { name: 'given another code', claimed_code_hash: null },
    ]);
    await store.close();
  });

  it('keeps its events and their cursors, and gives out higher ones from then on', async () => {
    await inDatabase(async (db) => {
      await migrateToLatest(db, EARLIER);
      for (const name of ['Harbour', 'Rival']) await db.insertInto('accounts').values(accountRow(name)).execute();
      for (const account_id of [1, 2, 1]) {
        await sql`insert into events (account_id, lot_id, event, payload, created_at)
          values (${account_id}, 7, 'gateway_status', '{"uuid":"a","status":"online"}', 1)`.execute(db);
      }
      // The journal was emptied but for its oldest; a webhook knows how far it went.
      await sql`delete from events where id = 3`.execute(db);
      await sql`insert into webhooks (account_id, url, events, is_active, secret_sealed, cursor, created_at, updated_at)
        values (1, 'https://receiver', '[]', 1, '', 3, 1, 1)`.execute(db);
    });
    const store = await openStore();
    await store.migrate();
    const journal = () => store.reader.selectFrom('events').select(['account_id', 'id']).orderBy('id').execute();
    expect(await journal()).toEqual([
      { account_id: 1, id: 1 },
      { account_id: 2, id: 2 },
    ]);
    const event = { lot_id: 7, event: 'gateway_status', payload: { uuid: 'a', status: 'online' } } as const;
    await store.change(async (tx) => {
      for (const account_id of [2, 1, 2]) tx.journal({ ...event, account_id });
    });
    expect((await journal()).slice(2)).toEqual([
      { account_id: 1, id: 4 },
      { account_id: 2, id: 4 },
      { account_id: 2, id: 5 },
    ]);
    await store.close();
  });
});
