/** The tables of the agent's file, as steps of `user_version`. A step is one transaction, so that a killed agent leaves no half step. */
import { randomBytes } from 'node:crypto';
import type Database from 'better-sqlite3';

/**
 * The version of a file after its first step. Files with a lower version are of agents from before the first release.
 */
const FIRST_VERSION = 4;
const MIGRATIONS = [
  `
  CREATE TABLE meta (id INTEGER PRIMARY KEY CHECK (id = 1), epoch TEXT NOT NULL, clock_floor_ms INTEGER NOT NULL) STRICT;

  -- Rows of a lane are numbered without a gap, from "first" to "last"; seq = number - base, so a new outbox epoch is a new base.
  CREATE TABLE lanes (
    lane INTEGER PRIMARY KEY, base INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, bytes INTEGER NOT NULL
  ) STRICT;
  INSERT INTO lanes VALUES (0, 0, 1, 0, 0), (1, 0, 1, 0, 0), (2, 0, 1, 0, 0);

  -- position: lane and number in one key. bytes stands first, so that counting does not read pictures.
  CREATE TABLE outbox (
    position INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, crc INTEGER NOT NULL, record TEXT NOT NULL, jpeg BLOB
  ) STRICT;

  -- number: of the lane 0 record that carries the change.
  CREATE TABLE sessions (
    uid TEXT NOT NULL UNIQUE, plate TEXT NOT NULL, zone_id INTEGER NOT NULL, began_ms INTEGER NOT NULL, ended_ms INTEGER,
    number INTEGER NOT NULL
  ) STRICT;

  -- number counts per camera; age_ms is null while the time was not known. allowed and states (a JSON array): what refinements need.
  CREATE TABLE recent_reads (
    camera_device_id TEXT NOT NULL, number INTEGER NOT NULL, age_ms INTEGER, uid TEXT NOT NULL, vendor_event_id TEXT,
    plate TEXT NOT NULL, direction TEXT NOT NULL, event_ms INTEGER NOT NULL, debounced INTEGER NOT NULL, allowed INTEGER,
    states TEXT NOT NULL, UNIQUE (camera_device_id, number)
  ) STRICT;
  CREATE INDEX recent_reads_age ON recent_reads (age_ms) WHERE age_ms IS NOT NULL;
  CREATE INDEX recent_reads_uid ON recent_reads (uid);

  CREATE TABLE intents (reading_uid TEXT NOT NULL UNIQUE, event_id TEXT NOT NULL, product_id INTEGER NOT NULL) STRICT;

  CREATE TABLE config_sections (section TEXT NOT NULL UNIQUE, revision TEXT NOT NULL) STRICT;
  CREATE TABLE config_items (section TEXT NOT NULL, key TEXT NOT NULL, item TEXT NOT NULL, UNIQUE (section, key)) STRICT;

  -- kind: that of the record with the status.
  CREATE TABLE told (kind TEXT NOT NULL, id INTEGER NOT NULL, status TEXT NOT NULL, UNIQUE (kind, id)) STRICT;

  CREATE TABLE camera_clocks (device_id TEXT NOT NULL UNIQUE, behind_ms INTEGER NOT NULL, confirmed_ms INTEGER NOT NULL) STRICT;
  `,
  `
  -- Acknowledged rows stay for a while: from "kept" to below "first". An older agent leaves them alone.
  ALTER TABLE lanes ADD COLUMN kept INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE lanes ADD COLUMN kept_bytes INTEGER NOT NULL DEFAULT 0;
  UPDATE lanes SET kept = first;

  -- at_ms: by when the rows of the lane up to number were acknowledged.
  CREATE TABLE acknowledged (
    lane INTEGER NOT NULL, number INTEGER NOT NULL, at_ms INTEGER NOT NULL, PRIMARY KEY (lane, number)
  ) STRICT, WITHOUT ROWID;
  `,
  // A table of its own: an agent from before this step still writes the row of "meta" by the number of its columns.
  `
  CREATE TABLE confirmed_time (id INTEGER PRIMARY KEY CHECK (id = 1), wall_ms INTEGER NOT NULL) STRICT;
  INSERT INTO confirmed_time VALUES (1, 0);
  `,
];

const NEWEST_VERSION = FIRST_VERSION + MIGRATIONS.length - 1;

/**
 * The lowest version of an agent that can work with the present tables: after an update that did not work, the one before it works on with
 * the file of the newer one. Raise it only with a step that takes something away from older agents; then nothing falls back.
 */
const OLDEST_READER = FIRST_VERSION;

/** Brings the file to the present tables. Throws when another agent wrote the file, and this one cannot work with its tables. */
export function migrate(db: Database.Database): void {
  const version = Number(db.pragma('user_version', { simple: true }));
  const oldestReader = Number(db.pragma('application_id', { simple: true }));
  if (version > NEWEST_VERSION && oldestReader > 0 && oldestReader <= NEWEST_VERSION) return;
  if (version > NEWEST_VERSION || (version > 0 && version < FIRST_VERSION)) {
    const other = version > NEWEST_VERSION ? 'a newer agent' : 'an agent from before the first release';
    throw new Error(`${db.name} was written by ${other} (its tables are version ${version}): install that agent again`);
  }
  const done = version === 0 ? 0 : version - FIRST_VERSION + 1;
  MIGRATIONS.slice(done).forEach((sql, step) => {
    db.transaction(() => {
      db.exec(sql);
      db.pragma(`user_version = ${FIRST_VERSION + done + step}`);
    }).immediate();
  });
  // A file that is as it should be is not written: the disk may be full.
  if (oldestReader !== OLDEST_READER) db.pragma(`application_id = ${OLDEST_READER}`);
  if (db.prepare('SELECT 1 FROM meta').get() === undefined)
    db.prepare('INSERT INTO meta VALUES (1, ?, 0) ON CONFLICT DO NOTHING').run(generateOutboxEpoch());
}

/** Outbox epochs are random, so that two clones of one card never share one. */
export function generateOutboxEpoch(): string {
  return randomBytes(16).toString('hex');
}
