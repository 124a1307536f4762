/** Stores the configuration that the gateway starts with, and what its decisions need. Runs in the store's worker thread. */
import type { Logger } from '../../shared/logger.js';
import type Database from 'better-sqlite3';
import { revisionOf } from '../../shared/config-revision.js';
import type { ConfigMessage, ConfigSection } from '../../shared/gateway-config.js';
import type { JsonText } from '../../shared/json-text-codec.js';
import type { Uid } from '../../shared/ids.js';
import type { OutboxEpoch } from '../../shared/uplink.js';
import {
  type BootState,
  expectBase,
  type KeptCameraClock,
  type OpeningIntent,
  type RecentRead,
  type RecordStamp,
  type SessionChange,
  type SessionOverlay,
  type StoreLimits,
  type RecordedStatus,
} from './agent-store.js';
import { readLatest } from './sqlite-agent-latest.js';
import type { OpenedFile } from './sqlite-agent-protocol.js';

type RecentReadRow = Omit<RecentRead, 'debounced' | 'allowed' | 'states'> & {
  debounced: number;
  allowed: number | null;
  states: string;
};
type ConfigRow = { key: string; item: string };
type SessionRow = SessionChange & { number: number };

export type Replica = ReturnType<typeof createReplica>;

export function createReplica(db: Database.Database, limits: StoreLimits) {
  return {
    ...createReads(db, limits),
    ...createSessions(db),
    ...createRecorded(db),
    ...createCameraClocks(db),
    ...createConfig(db),
  };
}

/** Recent reads and openings under way. */
function createReads(db: Database.Database, limits: StoreLimits) {
  const newestNumber = db
    .prepare('SELECT coalesce(max(number), 0) FROM recent_reads WHERE camera_device_id = ?')
    .pluck();
  const insertRead = db.prepare(`
    INSERT INTO recent_reads
      (camera_device_id, number, age_ms, uid, vendor_event_id, event_ms, plate, direction, debounced, allowed, states)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const updateRead = db.prepare(
    'UPDATE recent_reads SET plate = ?, direction = ?, debounced = ?, allowed = ?, states = ? WHERE uid = ?',
  );
  const pruneCamera = db.prepare('DELETE FROM recent_reads WHERE camera_device_id = ? AND number <= ?');
  const pruneAged = db.prepare('DELETE FROM recent_reads WHERE age_ms < ?');
  const insertIntent = db.prepare('INSERT INTO intents (reading_uid, event_id, product_id) VALUES (?, ?, ?)');
  const putIntent = db.prepare('INSERT OR REPLACE INTO intents (reading_uid, event_id, product_id) VALUES (?, ?, ?)');
  const deleteIntent = db.prepare('DELETE FROM intents WHERE reading_uid = ?');
  return {
    addRead(read: RecentRead, stamp: RecordStamp): void {
      const number = Number(newestNumber.get(read.camera_device_id)) + 1;
      insertRead.run(
        read.camera_device_id,
        number,
        stamp.clock_ok ? stamp.wall_ms : null,
        read.uid,
        read.vendor_event_id,
        read.event_ms,
        ...changingOf(read),
      );
      pruneCamera.run(read.camera_device_id, number - limits.recentReadsPerCameraMax);
      // Nothing can be judged as old while the time is not known.
      if (stamp.clock_ok) pruneAged.run(stamp.wall_ms - limits.recentReadsAgeMs);
    },
    /** Does nothing when the read was forgotten meanwhile. */
    refineRead(read: RecentRead): void {
      updateRead.run(...changingOf(read), read.uid);
    },
    addIntent(intent: OpeningIntent): void {
      insertIntent.run(intent.reading_uid, intent.event_id, intent.product_id);
    },
    /** A camera may see a vehicle better, and have it opened for, while a person already does that. */
    putIntent(intent: OpeningIntent): void {
      putIntent.run(intent.reading_uid, intent.event_id, intent.product_id);
    },
    removeIntent(reading_uid: Uid): void {
      deleteIntent.run(reading_uid);
    },
  };
}

/** The columns a refinement may change. */
function changingOf({ plate, direction, debounced, allowed, states }: RecentRead) {
  return [plate, direction, debounced ? 1 : 0, allowed === null ? null : Number(allowed), JSON.stringify(states)];
}

/** Stores the overlay of sessions over those of the configuration. */
function createSessions(db: Database.Database) {
  const upsertSession = db.prepare(`
    INSERT INTO sessions (uid, plate, zone_id, began_ms, ended_ms, number) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (uid) DO UPDATE SET plate = excluded.plate, zone_id = excluded.zone_id, began_ms = excluded.began_ms,
      ended_ms = excluded.ended_ms, number = excluded.number`);
  const dropSessions = db.prepare('DELETE FROM sessions WHERE number <= ?');
  return {
    /** @param number of the lane 0 record that carries the change */
    putSession(session: SessionChange, number: number): void {
      upsertSession.run(session.uid, session.plate, session.zone_id, session.began_ms, session.ended_ms, number);
    },
    /** Drops the overlay rows that the cloud's section contains. `applied` of another outbox epoch says nothing about the present numbers. */
    dropCovered(applied: ConfigMessage['applied'], present: { epoch: OutboxEpoch; base: number }): void {
      if (applied !== null && applied.epoch === present.epoch) dropSessions.run(applied.seq + present.base);
    },
  };
}

/** Stores the last recorded states of places and parking gateways. */
function createRecorded(db: Database.Database) {
  const upsertRecorded = db.prepare(`
    INSERT INTO told (kind, id, status) VALUES (?, ?, ?)
    ON CONFLICT (kind, id) DO UPDATE SET status = excluded.status`);
  const dropPlaces = db.prepare(`
    DELETE FROM told WHERE kind = 'place_change' AND id NOT IN (
      SELECT json_extract(place.value, '$.id') FROM config_items, json_each(config_items.item, '$.places') AS place
      WHERE config_items.section = 'sensors')`);
  const dropGateways = db.prepare(`
    DELETE FROM told WHERE kind = 'parking_gateway_status' AND id NOT IN (
      SELECT json_extract(item, '$.id') FROM config_items WHERE section = 'sensors')`);
  return {
    putRecorded({ kind, id, status }: RecordedStatus): void {
      upsertRecorded.run(kind, id, status);
    },
    /** Another gateway may watch them from now on, so the old state no longer counts if they come back. */
    dropUnnamed(): void {
      dropPlaces.run();
      dropGateways.run();
    },
  };
}

/** Stores the errors of the cameras' clocks. */
function createCameraClocks(db: Database.Database) {
  const put = db.prepare(`
    INSERT INTO camera_clocks (device_id, behind_ms, confirmed_ms) VALUES (?, ?, ?)
    ON CONFLICT (device_id) DO UPDATE SET behind_ms = excluded.behind_ms, confirmed_ms = excluded.confirmed_ms`);
  const remove = db.prepare('DELETE FROM camera_clocks WHERE device_id = ?');
  const dropUnnamed = db.prepare(`
    DELETE FROM camera_clocks WHERE device_id NOT IN (SELECT key FROM config_items WHERE section = 'cameras')`);
  return {
    putCameraClock(device_id: string, clock: KeptCameraClock | null): void {
      if (clock === null) remove.run(device_id);
      else put.run(device_id, clock.behind_ms, clock.confirmed_ms);
    },
    /** A camera that comes back may be another one. */
    dropUnnamedClocks: () => void dropUnnamed.run(),
  };
}

function createConfig(db: Database.Database) {
  const storedRevision = db
    .prepare<[ConfigSection], string>('SELECT revision FROM config_sections WHERE section = ?')
    .pluck();
  const putRevision = db.prepare(`
    INSERT INTO config_sections (section, revision) VALUES (?, ?)
    ON CONFLICT (section) DO UPDATE SET revision = excluded.revision`);
  const clearItems = db.prepare('DELETE FROM config_items WHERE section = ?');
  const putItem = db.prepare(`
    INSERT INTO config_items (section, key, item) VALUES (?, ?, ?)
    ON CONFLICT (section, key) DO UPDATE SET item = excluded.item`);
  const removeItem = db.prepare('DELETE FROM config_items WHERE section = ? AND key = ?');
  const setConfirmed = db.prepare('UPDATE confirmed_time SET wall_ms = ?');
  const raiseFloor = db.prepare('UPDATE meta SET clock_floor_ms = max(clock_floor_ms, ?)');
  return {
    putConfig(message: Omit<ConfigMessage, 'upsert'>, upsert: Record<string, unknown>): void {
      expectBase(message, storedRevision.get(message.section));
      if (message.base === null) clearItems.run(message.section);
      for (const key of message.remove) removeItem.run(message.section, key);
      for (const [key, item] of Object.entries(upsert)) putItem.run(message.section, key, JSON.stringify(item));
      putRevision.run(message.section, message.revision);
    },
    raiseClockFloor(wall_ms: number): void {
      raiseFloor.run(wall_ms);
    },
    putConfirmedTime(wall_ms: number): void {
      setConfirmed.run(wall_ms);
    },
  };
}

type Warn = Logger['warn'];

/** Reads everything that the gateway needs at its start. @param base of lane 0 */
export function readFile(db: Database.Database, { base, warn }: { base: number; warn: Warn }): OpenedFile {
  const sessions = db
    .prepare<[], SessionRow>('SELECT uid, plate, zone_id, began_ms, ended_ms, number FROM sessions ORDER BY number')
    .all();
  const reads = db
    .prepare<[], RecentReadRow>(
      `SELECT uid, camera_device_id, vendor_event_id, plate, direction, event_ms, debounced, allowed, states
       FROM recent_reads ORDER BY rowid`,
    )
    .all();
  return {
    config: readConfig(db, warn),
    sessions: sessions.map(
      ({ number, ...session }): SessionOverlay => ({ ...session, seq: Math.max(0, number - base) }),
    ),
    recent_reads: reads.map((read) => ({
      ...read,
      debounced: read.debounced === 1,
      allowed: read.allowed === null ? null : read.allowed === 1,
      states: statesOf(read.states),
    })),
    intents: db.prepare<[], OpeningIntent>('SELECT reading_uid, event_id, product_id FROM intents').all(),
    recorded: db.prepare<[], RecordedStatus>('SELECT kind, id, status FROM told ORDER BY kind, id').all(),
    camera_clocks: db
      .prepare<[], BootState['camera_clocks'][number]>(
        'SELECT device_id, behind_ms, confirmed_ms FROM camera_clocks ORDER BY device_id',
      )
      .all(),
    latest: readLatest(db),
    clock_floor_ms: Number(db.prepare('SELECT clock_floor_ms FROM meta').pluck().get()),
    confirmed_ms: Number(db.prepare('SELECT wall_ms FROM confirmed_time').pluck().get()),
  };
}

function readConfig(db: Database.Database, warn: Warn): OpenedFile['config'] {
  const items = db.prepare<[string], ConfigRow>('SELECT key, item FROM config_items WHERE section = ? ORDER BY key');
  return db
    .prepare<[], { section: ConfigSection; revision: string }>('SELECT section, revision FROM config_sections')
    .all()
    .map(({ section, revision }) => {
      const rows = items.all(section);
      const sound = rows.filter(({ item }) => isJson(item));
      if (sound.length === rows.length) return { section, revision, itemsJson: joinItems(rows) };
      // The revision shows the cloud that items are missing, and it sends the whole section again.
      const honest = revisionOf(sound.map(({ key, item }) => [key, JSON.parse(item)]));
      warn({ section, items: rows.length - sound.length }, 'items of the configuration are damaged on the disk');
      return { section, revision: honest, itemsJson: joinItems(sound) };
    });
}

/** A read whose states are damaged is not refined any more. */
function statesOf(text: string): string[] {
  const states: unknown = isJson(text) ? JSON.parse(text) : [];
  return Array.isArray(states) ? states.filter((state) => typeof state === 'string') : [];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Items are kept as JSON, so they are only joined. */
/** @param rows of which each item is sound JSON */
function joinItems(rows: ConfigRow[]): JsonText<Record<string, unknown>> {
  const text = `{${rows.map(({ key, item }) => `${JSON.stringify(key)}:${item}`).join(',')}}`;
  return text as JsonText<Record<string, unknown>>;
}
