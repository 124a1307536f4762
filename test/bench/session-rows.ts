/** A database with a million sessions and their readings, made by SQL inside SQLite. */
import Database from 'better-sqlite3';
import { MIGRATIONS } from '../../cloud/all-migrations.js';
import { hashToken } from '../../cloud/kernel/secrets/secrets.js';
import type { CloudStore } from '../../cloud/kernel/store/cloud-store.js';
import { createCloudStore } from '../../cloud/kernel/store/sqlite/sqlite-store.js';
import { insertRow } from '../../cloud/kernel/store/row-queries.js';
import { keepTariffVersion } from '../../cloud/traffic/tariff/tariff-version-queries.js';
import { silentLogger } from '../../shared/logger.js';
import { accountRow } from '../conformance/account-row.js';
import { FakeClock } from '../world/fake-clock.js';

export const SESSIONS = 1_000_000;
export const BENCH_TOKEN = 'bench-token';
/** Of a user of the first lot alone. */
export const ONE_LOT_TOKEN = 'one-lot-token';
const LOTS = 4;
const PLATES = 200_000;
const YEAR_MS = 365 * 24 * 3_600_000;
/** The sessions lie in the year before this. */
export const BENCH_NOW_MS = Date.UTC(2026, 0, 15, 12);

/**
 * Whose sessions are made, how many, of how many vehicles, and until when over which time they lie. `lot`, `zone` and `tariff` are SQL of
 * the session's number `n`.
 */
interface FilledLots {
  sessions?: number;
  plates?: number;
  until_ms?: number;
  over_ms?: number;
  account?: number;
  lot?: string;
  zone?: string;
  tariff?: string;
}

/** Of an event, about as many as a session with its readings has. */
const EVENT_CHARS = 4_000;

const times = { created_at: 0, updated_at: 0 };

/** Opens a SQLite file at the time of the benchmark. */
export const openBenchStore = (path: string): Promise<CloudStore> =>
  createCloudStore({ url: `sqlite:${path}`, clock: new FakeClock(BENCH_NOW_MS), logger: silentLogger });

/** Makes a SQLite file with the schema and the site of the benchmark. */
export async function seedBenchDatabase(path: string): Promise<void> {
  const store = await openBenchStore(path);
  await store.migrate(MIGRATIONS);
  await seedBenchSite(store);
  await store.close();
}

/** One account with four lots in one time zone, a tariff each. */
export async function seedBenchSite(store: CloudStore): Promise<void> {
  await store.change(async (tx) => {
    await tx
      .insertInto('accounts')
      .values({ ...accountRow('Bench'), id: 1 })
      .execute();
    const windows = JSON.stringify([
      { days: [1, 2, 3, 4, 5], start: '07:00', end: '19:00', price: 200, step_minutes: 30 },
      { days: [6, 7], start: '00:00', end: '24:00', price: 50, step_minutes: 60 },
    ]);
    for (let id = 1; id <= LOTS; id++) {
      const place = { address: '', timezone: 'Europe/Zagreb', latitude: null, longitude: null };
      const rules = { offline_exit: 'open', autonomy_days: 31 } as const;
      await tx
        .insertInto('lots')
        .values({ id, account_id: 1, name: `Lot ${id}`, ...place, ...rules, ...times })
        .execute();
      const zone = { description: '', spot_count: 0, occupancy_max_hours: 72 };
      await tx
        .insertInto('zones')
        .values({ id, account_id: 1, lot_id: id, name: 'Level 0', ...zone, ...times })
        .execute();
      const price = { free_minutes: 10, price_minor: 150, step_minutes: 60, daily_max_minor: 2_000 };
      const tariff = { id, account_id: 1, name: 'Public', currency: 'EUR', vat: '', ...price, windows, ...times };
      await keepTariffVersion(tx, await insertRow(tx, 'tariffs', tariff));
    }
    const user = { name: '', phone: '', language_tag: '', country_code: '', email_confirmed: 1, password_hash: '' };
    const users = [
      { id: 1, email: 'bench', token: BENCH_TOKEN, lots: LOTS },
      { id: 2, email: 'one lot', token: ONE_LOT_TOKEN, lots: 1 },
    ];
    for (const { id, email, token, lots } of users) {
      await tx
        .insertInto('account_users')
        .values({ id, account_id: 1, account_user_role_id: 1, email, ...user, ...times })
        .execute();
      await tx
        .insertInto('account_user_lots')
        .values(Array.from({ length: lots }, (_, index) => ({ account_user_id: id, lot_id: index + 1 })))
        .execute();
      await tx
        .insertInto('user_tokens')
        .values({
          account_user_id: id,
          type: 'user',
          token_hash: hashToken(token),
          created_at: 0,
          expires_at: Number.MAX_SAFE_INTEGER,
        })
        .execute();
    }
  });
}

/** Fills the tables of a database that has the schema and that nobody else has open; by default the lots of `seedBenchSite`. */
export function fillSessions(path: string, filled: FilledLots = {}): void {
  const { sessions = SESSIONS, plates = PLATES, until_ms = BENCH_NOW_MS, over_ms = YEAR_MS } = filled;
  const { account = 1, lot = `n % ${LOTS} + 1`, zone = lot, tariff = lot } = filled;
  const db = new Database(path);
  db.pragma('synchronous = OFF');
  db.pragma('cache_size = -200000');
  // A whole number that looks random and is the same in every run.
  const chance = (seed: string, range: number) => `abs((n * 2654435761 + ${seed}) * 40503 >> 8) % ${range}`;
  const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${sessions})`;
  const began = `${until_ms - over_ms} + n * ${Math.floor(over_ms / sessions)} + ${chance('1', 1_000)}`;
  const lasted = `60000 + ${chance('2', 6 * 3_600_000)}`;
  const isOpen = 'n % 97 = 0';
  const plate = `'ZG' || (${chance('3', plates)})`;
  db.exec('begin');
  for (const { id, direction, at } of [
    { id: 'n', direction: 'in', at: began },
    { id: `n + ${sessions}`, direction: 'out', at: `${began} + ${lasted}` },
  ]) {
    db.exec(`${numbers} insert into plate_readings (id, uid, account_id, lot_id, zone_id, gateway_id, lpr_camera_id, plate,
      plate_normalised, raw_plate, confidence, direction, type, make, plate_side, lpr_camera_direction, session_id,
      access_decision, access_decision_reason, retransmission, time_estimated, created_at, updated_at)
      select ${id}, 'reading-' || (${id}), ${account}, ${lot}, ${zone}, 1, ${lot}, ${plate}, ${plate}, ${plate}, 0.9, '${direction}', 'car',
      'Skoda', 'front', '${direction}', n, 'triggered', 'tariff', 0, 0, ${at}, ${at} from numbers
      ${direction === 'out' ? `where not (${isOpen})` : ''}`);
  }
  db.exec(`${numbers} insert into sessions (id, uid, public_id, account_id, lot_id, zone_id, tariff_id, tariff_version_id, currency, price_minor, plate_normalised,
    entry_reading_id, exit_reading_id, entry_type, entry_source_id, exit_type, exit_source_id, ended_at, ended_by_look_alike,
    discount_time, amount_paid_minor, possibly_exited, created_at, updated_at)
    select n, 'session-' || n, printf('P%09d', n), ${account}, ${lot}, ${zone}, ${tariff}, ${tariff}, 'EUR',
    iif(${isOpen}, null, ${chance('5', 2_000)}), ${plate}, n, iif(${isOpen}, null, n + ${SESSIONS}), 'lpr_camera', ${lot}, iif(${isOpen}, null, 'lpr_camera'), iif(${isOpen}, null, ${lot}),
    iif(${isOpen}, null, ${began} + ${lasted}), 0, iif(n % 50 = 0, 30, null), ${chance('4', 2_000)},
    iif(${isOpen}, null, 1), ${began}, ${began} from numbers`);
  db.exec('commit');
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

/** Adds events to the journal of an account. */
export function fillEvents(
  path: string,
  { account, lot, events }: { account: number; lot: number; events: number },
): void {
  const db = new Database(path);
  const payload = JSON.stringify({ data: { id: 1, text: 'x'.repeat(EVENT_CHARS) } });
  const head = db.prepare('select coalesce(max(seq), 0) as seq from journal_heads where account_id = ?').get(account);
  const { seq } = head as { seq: number };
  const insert = db.prepare(
    `insert into events (id, account_id, lot_id, event, payload, created_at) values (?, ?, ?, 'session_update', ?, ?)`,
  );
  db.transaction(() => {
    for (let id = seq + 1; id <= seq + events; id++) insert.run(id, account, lot, payload, Date.now());
    db.prepare('insert or replace into journal_heads (account_id, seq) values (?, ?)').run(account, seq + events);
  })();
  db.close();
}
