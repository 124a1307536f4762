/** The records of one batch, which are planned in memory, lead to the same sessions as the same records one by one. */
import * as fc from '../../property.js';
import { expect, it } from 'vitest';
import { EVENT_SCHEMAS } from '../../../shared/events/event-schemas.js';
import type { Uid } from '../../../shared/ids.js';
import type { SessionEffect } from '../../../shared/access/session-effect.js';
import type { PlateReadRecord } from '../../../shared/uplink.js';
import {
  deniedRead,
  entryRead,
  exitRead,
  newOutboxEpoch,
  newUid,
  NOON_MS,
  recordOf,
  wireBatch,
} from './gateway-records.js';
import { NORTH_GATEWAY } from '../gateway/link-site.js';
import { storeWorld } from '../gateway/store-world.js';
import { runs } from '../../depth.js';

const MINUTE = 60_000;
const PLATES = ['A', 'B'] as const;

const world = storeWorld('for all tests');

interface AskedRead {
  plate: (typeof PLATES)[number];
  minute: number;
  what: 'begin' | 'keep' | 'end' | 'alike' | 'leave' | 'denied';
  /** Which of the sessions begun so far is named; beyond them: none, or one that nobody heard of. */
  named: number;
  clockOk: boolean;
}

const anyRead: fc.Arbitrary<AskedRead> = fc.record({
  plate: fc.constantFrom(...PLATES),
  minute: fc.integer({ min: 1, max: 40 }),
  what: fc.constantFrom('begin', 'begin', 'keep', 'end', 'alike', 'leave', 'leave', 'denied'),
  named: fc.nat(3),
  clockOk: fc.nat(9).map((chance) => chance > 0),
});

function payloadOf(asked: AskedRead, effect: SessionEffect | null, plate: string): PlateReadRecord {
  const reading = { event_ms: NOON_MS - 60 * MINUTE + asked.minute * MINUTE, plate };
  if (asked.what === 'begin' || asked.what === 'keep') {
    return entryRead(world.site, { reading, read: { session: effect, opening: null } });
  }
  const read = { ...(asked.what === 'denied' ? deniedRead('no_active_session') : {}), session: effect, opening: null };
  return exitRead(world.site, null, { reading, read });
}

/** The reads as records of plates of their own. */
function recordsOf(reads: AskedRead[], prefix: string) {
  const begun: Uid[] = [];
  return reads.map((asked, index) => {
    const named = begun[asked.named];
    const effects: Record<AskedRead['what'], () => SessionEffect | null> = {
      begin: () => ({ effect: 'begin', session_uid: newUid(), ended_session_uid: named ?? null }),
      keep: () => ({ effect: 'keep', session_uid: named ?? newUid() }),
      end: () => ({ effect: 'end', session_uid: named ?? newUid(), look_alike: false }),
      alike: () => ({ effect: 'end', session_uid: named ?? newUid(), look_alike: true }),
      leave: () => null,
      denied: () => null,
    };
    const effect = effects[asked.what]();
    if (effect?.effect === 'begin') begun.push(effect.session_uid);
    return recordOf(index + 1, payloadOf(asked, effect, prefix + asked.plate), { clock_ok: asked.clockOk });
  });
}

/** The sessions with their readings, by the order of the readings; and the events, as far as they are of sessions and entries. */
async function outcomeOf(prefix: string) {
  const readings = await world.store.reader
    .selectFrom('plate_readings')
    .selectAll()
    .where('plate_normalised', 'like', `${prefix}_`)
    .orderBy('id')
    .execute();
  const indexOf = (id: number | null) => readings.findIndex((reading) => reading.id === id);
  const sessions = await world.store.reader
    .selectFrom('sessions')
    .selectAll()
    .where('plate_normalised', 'like', `${prefix}_`)
    .orderBy('id')
    .execute();
  const entries = await world.store.reader
    .selectFrom('lot_entries')
    .leftJoin('lot_entries as related', 'related.id', 'lot_entries.related_lot_entry_id')
    .select(['lot_entries.plate_reading_id', 'related.plate_reading_id as related_reading_id', 'lot_entries.duration'])
    .where(
      'lot_entries.plate_reading_id',
      'in',
      readings.map(({ id }) => id),
    )
    .orderBy('lot_entries.id')
    .execute();
  return {
    sessions: sessions.map((row) => ({
      plate: row.plate_normalised.at(-1),
      from: row.created_at,
      to: row.ended_at,
      entry: indexOf(row.entry_reading_id),
      exit: indexOf(row.exit_reading_id),
      exit_camera: row.exit_source_id,
      by_look_alike: row.ended_by_look_alike,
    })),
    readings: readings.map(({ session_id }) => sessions.findIndex(({ id }) => id === session_id)),
    entries: entries.map((entry) => [
      indexOf(entry.plate_reading_id),
      indexOf(entry.related_reading_id),
      entry.duration,
    ]),
    events: world.pushed.map(({ event, payload }) => {
      expect(EVENT_SCHEMAS[event].safeParse(payload).error).toBeUndefined();
      return event;
    }),
  };
}

it('leads to the same sessions in one batch as one by one', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyRead, { minLength: 2, maxLength: 12 }), async (reads) => {
      run += 1;
      const one = `ONE${run}X`;
      const epoch = newOutboxEpoch();
      world.pushed.length = 0;
      for (const record of recordsOf(reads, one))
        await world.ingest.apply(NORTH_GATEWAY, wireBatch(epoch, 0, [record]));
      const expected = await outcomeOf(one);

      const all = `ALL${run}X`;
      world.pushed.length = 0;
      const ack = await world.ingest.apply(NORTH_GATEWAY, wireBatch(newOutboxEpoch(), 0, recordsOf(reads, all)));
      expect(ack?.seq).toBe(reads.length);
      expect(await outcomeOf(all)).toEqual(expected);
    }),
    { numRuns: runs(20, 9) },
  );
});
