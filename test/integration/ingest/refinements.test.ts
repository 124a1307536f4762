import { describe, expect, it } from 'vitest';
import type { Uid } from '../../../shared/ids.js';
import type { PlateReadRecord, PlateRefinedRecord } from '../../../shared/uplink.js';
import { proves } from '../../contract/sending-rules.js';
import {
  decisionOf,
  deniedRead,
  entryRead,
  exitRead,
  newUid,
  NOON_MS,
  openingResult,
  recordOf,
  refinementOf,
  sessionOf,
} from './gateway-records.js';
import { senderOf, storeWorld } from '../gateway/store-world.js';

const world = storeWorld('for each test');
const send = senderOf(world);
const record = (payload: unknown, uid: Uid = newUid()) => recordOf(0, payload, { uid });
const rows = (table: 'plate_readings' | 'sessions' | 'lot_entries' | 'early_records' | 'dead_letters') =>
  world.store.reader.selectFrom(table).selectAll().execute();
const reading = async () => (await rows('plate_readings'))[0];

/** A car whose plate was misread at the exit, and is kept inside. */
const deniedExit = (plate = 'ZG1234A'): PlateReadRecord =>
  exitRead(world.site, null, {
    reading: { plate },
    read: deniedRead('no_active_session'),
  });

function letOut(reading_uid: Uid, read: PlateReadRecord, session_uid: Uid, refinement = 1): PlateRefinedRecord {
  const decided = decisionOf(exitRead(world.site, session_uid));
  return refinementOf(reading_uid, read, {
    refinement,
    reading: { plate: 'ZG1234AB', raw_plate: 'ZG1234AB' },
    decided,
  });
}

describe('a refinement of a reading', () => {
  it('changes it, and is told with the reading as it stands now', proves('plate_reading_update: refined'), async () => {
    const read = entryRead(world.site);
    const uid = newUid();
    const [created, updated] = await send(0, record(read, uid));
    const at = NOON_MS + 500;
    const sent = await send(
      1,
      recordOf(0, refinementOf(uid, read, { reading: { plate: 'ZG1234A8', raw_plate: 'zg 1234 a8' } }), {
        wall_ms: at,
      }),
    );
    expect(sent).toEqual([
      {
        event: 'plate_reading_update',
        payload: {
          ...updated?.payload,
          session_id: 1,
          plate: 'ZG1234A8',
          confidence: 0.99,
          updated_at: new Date(at).toISOString(),
        },
      },
    ]);
    expect(await reading()).toMatchObject({
      plate: 'ZG1234A8',
      plate_normalised: 'ZG1234A8',
      raw_plate: 'zg 1234 a8',
      confidence: 0.99,
      original_plate: null,
      session_id: 1,
      access_decision: 'triggered',
      opening_event_id: 'deadbeef',
      refinement: 1,
    });
    expect(created?.payload.confidence).toBe(0.93);
    expect(await rows('lot_entries')).toHaveLength(1);
  });

  it('tells its decision, session and lot entry in the order of a read when it is decided again', async () => {
    const entry = entryRead(world.site);
    const [read, uid] = [deniedExit(), newUid()];
    await send(0, record(entry), record(read, uid));
    const sent = await send(0, record(letOut(uid, read, sessionOf(entry))), record(openingResult(uid, world.site)));
    expect(sent.map(({ event }) => event)).toEqual(['plate_reading_update', 'session_update', 'lpr_event']);
    expect(sent[0]?.payload).toMatchObject({
      plate: 'ZG1234AB',
      session_id: null,
      access_decision: 'triggered',
      access_decision_reason: 'session_exit',
    });
    expect(sent[2]?.payload.data).toMatchObject({ direction: 'out', is_allowed: 1, license_plate: 'ZG1234AB' });
    const [session] = await rows('sessions');
    expect(session).toMatchObject({ ended_at: NOON_MS - 1_000, exit_reading_id: 2, exit_type: 'lpr_camera' });
    expect((await rows('plate_readings'))[1]).toMatchObject({
      plate: 'ZG1234AB',
      session_id: session?.id,
      opening_outcome: 'succeeded',
    });
    expect(
      (await rows('lot_entries')).map(({ is_allowed, plate_reading_id }) => [plate_reading_id, is_allowed]),
    ).toEqual([
      [1, 1],
      [2, 0],
      [2, 1],
    ]);
  });

  it('in one batch with its read is told after it: the read as it was, then the reading as it is', async () => {
    const read = deniedExit();
    const uid = newUid();
    const asEntry = refinementOf(uid, read, { decided: decisionOf(entryRead(world.site)) });
    const sent = await send(
      0,
      record(read, uid),
      record({ ...asEntry, reading: { ...asEntry.reading, direction: 'in' } }),
    );
    expect(sent.map(({ event, payload }) => [event, payload.direction, payload.access_decision])).toEqual([
      ['plate_reading_create', 'out', null],
      ['plate_reading_update', 'out', 'denied'],
      ['lpr_event', undefined, undefined],
      ['plate_reading_update', 'in', 'triggered'],
      ['session_create', undefined, undefined],
      ['lpr_event', undefined, undefined],
    ]);
    expect(await rows('sessions')).toMatchObject([
      { entry_reading_id: 1, plate_normalised: 'ZG1234A', ended_at: null },
    ]);
    expect(await reading()).toMatchObject({ direction: 'in', session_id: 1, confidence: 0.99 });
  });

  it('waits for its read, and is not told before it', async () => {
    const read = entryRead(world.site);
    const uid = newUid();
    const early = record(refinementOf(uid, read));
    expect(await send(1, early)).toEqual([]);
    expect(await rows('early_records')).toHaveLength(1);
    const sent = await send(0, record(read, uid));
    expect(sent.map(({ event, payload }) => [event, payload.confidence])).toEqual([
      ['plate_reading_create', 0.93],
      ['plate_reading_update', 0.93],
      ['session_create', undefined],
      ['lpr_event', undefined],
      ['plate_reading_update', 0.99],
    ]);
    expect(await rows('early_records')).toEqual([]);
    expect(await send(1, early)).toEqual([]);
    expect(await reading()).toMatchObject({ confidence: 0.99, session_id: 1 });
  });

  it('changes nothing of a later one that came before it, but is decided', async () => {
    const entry = entryRead(world.site);
    const [read, uid] = [deniedExit(), newUid()];
    await send(0, record(entry), record(read, uid));
    await send(1, record(refinementOf(uid, read, { refinement: 2, reading: { plate: 'ZG1234A8', confidence: 1 } })));
    const sent = await send(0, record(letOut(uid, read, sessionOf(entry))));
    expect(sent[0]?.payload).toMatchObject({ plate: 'ZG1234A8', confidence: 1, access_decision: 'triggered' });
    expect(sent.map(({ event }) => event)).toEqual(['plate_reading_update', 'session_update', 'lpr_event']);
    expect(sent[2]?.payload.data).toMatchObject({ license_plate: 'ZG1234AB' });
    expect(await rows('sessions')).toMatchObject([{ ended_at: NOON_MS - 1_000 }]);
  });

  it('leaves what a person corrected', async () => {
    const read = deniedExit();
    const uid = newUid();
    await send(0, record(read, uid));
    const corrected = { plate: 'ST55', plate_normalised: 'ST55', original_plate: 'ZG1234A', direction: 'in' } as const;
    await world.store.change((tx) =>
      tx
        .updateTable('plate_readings')
        .set({ ...corrected, corrected_by: 1, corrected_at: NOON_MS })
        .execute(),
    );
    const refined = { plate: 'ZG1234AB', raw_plate: 'zg1234ab' };
    const [sent] = await send(1, record(refinementOf(uid, read, { reading: refined })));
    expect(sent?.payload).toMatchObject({ plate: 'ST55', direction: 'in', confidence: 0.99 });
    expect(await reading()).toMatchObject({ ...corrected, raw_plate: 'zg1234ab', confidence: 0.99, refinement: 1 });
  });

  it('is given up when it is of another gateway', async () => {
    const read = entryRead(world.site);
    const uid = newUid();
    await send(0, record(read, uid));
    await world.store.change((tx) => tx.updateTable('plate_readings').set({ gateway_id: null }).execute());
    expect(await send(1, record(refinementOf(uid, read)))).toEqual([]);
    expect(await rows('dead_letters')).toMatchObject([{ reason: `reading ${uid} is of another gateway or lot` }]);
    expect(await reading()).toMatchObject({ confidence: 0.93, refinement: 0 });
  });

  it('is given up when its read was, or when it was decided and its read never came', async () => {
    const read = entryRead(world.site, { reading: { zone_id: 9_999 } });
    const uid = newUid();
    await send(0, record(read, uid));
    await send(1, record(refinementOf(uid, read)));
    await send(0, record(letOut(newUid(), deniedExit(), newUid())));
    expect((await rows('dead_letters')).map(({ reason }) => reason)).toEqual([
      "zone 9999 is not of the gateway's lot",
      `belongs to ${uid}, which was given up: zone 9999 is not of the gateway's lot`,
      expect.stringMatching(/^reading .* never came$/),
    ]);
    expect(await rows('early_records')).toEqual([]);
  });
});
