import { describe, expect, it } from 'vitest';
import type { EventName } from '../../../shared/events/event-schemas.js';
import {
  deniedRead,
  entryRead,
  exitRead,
  imagePayload,
  JPEG,
  LATE,
  newOutboxEpoch,
  newUid,
  NOON_MS,
  openingResult,
  recordOf,
  sessionOf,
  sighting,
  wireBatch,
} from './gateway-records.js';
import { NORTH_GATEWAY, SECOND_GATEWAY } from '../gateway/link-site.js';
import { senderOf, storeWorld } from '../gateway/store-world.js';
import { proves } from '../../contract/sending-rules.js';

const world = storeWorld('for each test');
const sendLane = senderOf(world);
const send = (...records: object[]) => sendLane(0, ...records);

const names = (): EventName[] => world.pushed.map(({ event }) => event);
const payloadOf = (index: number) => world.pushed[index]?.payload;
const iso = (ms: number) => new Date(ms).toISOString();

describe('the events of a plate read', () => {
  it(
    'are told for an admission in the order of the contract, exactly',
    proves(
      'plate_reading_create: read',
      'plate_reading_create: order',
      'plate_reading_update: triggered',
      'session_create: camera',
      'lpr_event: entry',
      'lot_detection_change: not_sessions',
    ),
    async () => {
      const { site } = world;
      const [full, cropped] = [newUid(), newUid()];
      const images = [
        { uid: cropped, role: 'cropped' as const },
        { uid: full, role: 'full' as const },
      ];
      const at = NOON_MS - 60_000;
      await send(entryRead(site, { reading: { images } }));

      expect(names()).toEqual(['plate_reading_create', 'plate_reading_update', 'session_create', 'lpr_event']);
      expect(world.pushed.every(({ lot_id, account_id }) => lot_id === site.lot && account_id === site.account)).toBe(
        true,
      );
      const reading = {
        id: 1,
        plate: 'ZG1234AB',
        confidence: 0.93,
        image_url: `image:${full}`,
        cropped_image_url: `image:${cropped}`,
        direction: 'in',
        type: 'car',
        make: 'Skoda',
        color: null,
        model: null,
        country_code: 'HR',
        session_id: null,
        access_decision: null,
        access_decision_reason: null,
        lpr_camera_id: site.entryCamera,
        zone_id: site.zone,
        plate_side: 'front',
        lpr_camera_direction: 'in',
        created_at: iso(at),
        updated_at: iso(at),
      };
      expect(payloadOf(0)).toEqual(reading);
      expect(payloadOf(1)).toEqual({ ...reading, access_decision: 'triggered', access_decision_reason: 'tariff' });
      expect(payloadOf(2)).toEqual({
        id: 1,
        public_id: 'PUBLIC0001',
        duration: 0,
        amount_paid: 0,
        exit_allowed: true,
        entry_license_plate: {
          id: 1,
          plate: 'ZG1234AB',
          image_url: `image:${full}`,
          cropped_image_url: `image:${cropped}`,
        },
        created_at: iso(at),
        entry: { id: site.entryCamera, type: 'lpr_camera' },
        zone_id: site.zone,
      });
      expect(payloadOf(3)).toEqual({
        lot_id: site.lot,
        data: {
          id: 1,
          scan_time: iso(at),
          lpr_camera_id: site.entryCamera,
          lot_id: site.lot,
          related_lot_entry_id: null,
          duration: null,
          is_allowed: 1,
          direction: 'in',
          license_plate: 'ZG1234AB',
          license_plate_image_url: `${cropped.slice(-2)}/${cropped}.jpg`,
          full_image_url: `${full.slice(-2)}/${full}.jpg`,
          make: 'Skoda',
          color: '',
          model: '',
          color_depth: null,
          created_at: iso(at),
          updated_at: iso(at),
          lpr_camera: {
            id: site.entryCamera,
            device_id: 'cam-in',
            device_serial: null,
            name: 'Camera cam-in',
            account_id: site.account,
            zone_id: site.zone,
            status: 'offline',
            lpr_position: 'in',
            connected_device_type: 'other',
            mac: null,
            deleted_at: null,
            created_at: '2026-01-01T00:00:00.000Z',
            updated_at: '2026-01-01T00:00:00.000Z',
          },
          related_lot_entry: null,
        },
      });
      const row = await world.store.reader.selectFrom('plate_readings').selectAll().executeTakeFirstOrThrow();
      expect(row).toMatchObject({ session_id: 1, opening_event_id: 'deadbeef', plate_normalised: 'ZG1234AB' });
    },
  );

  it(
    'end the session at the exit, with duration and related entry',
    proves('session_update: camera', 'lpr_event: exit', 'lot_detection_change: not_sessions'),
    async () => {
      const { site } = world;
      const entry = entryRead(site);
      await send(entry);
      await send(recordOf(2, exitRead(site, sessionOf(entry))));

      expect(names()).toEqual(['plate_reading_create', 'plate_reading_update', 'session_update', 'lpr_event']);
      expect(payloadOf(1)).toMatchObject({ session_id: null, access_decision_reason: 'session_exit' });
      expect(payloadOf(2)).toEqual({
        id: 1,
        public_id: 'PUBLIC0001',
        ended_at: iso(NOON_MS - 1_000),
        duration: 59,
        amount_paid: 0,
        possibly_exited: true,
        exit_allowed: false,
        entry_license_plate: { id: 1, plate: 'ZG1234AB', image_url: null, cropped_image_url: null },
        created_at: iso(NOON_MS - 60_000),
        entry: { id: site.entryCamera, type: 'lpr_camera' },
        exit: { id: site.exitCamera, type: 'lpr_camera' },
        zone_id: site.zone,
      });
      expect(payloadOf(3)).toMatchObject({
        data: {
          direction: 'out',
          duration: 59,
          related_lot_entry_id: 1,
          license_plate_image_url: null,
          lpr_camera: { connected_device_type: 'gate' },
          related_lot_entry: {
            id: 1,
            direction: 'in',
            license_plate: 'ZG1234AB',
            lpr_camera: { id: site.entryCamera, device_id: 'cam-in', name: 'Camera cam-in' },
          },
        },
      });
    },
  );

  it(
    'are the reading alone when there is no decision, and no lot entry when it is debounced',
    proves('plate_reading_update: undefined', 'plate_reading_update: debounce', 'lpr_event: not_debounced'),
    async () => {
      const { site } = world;
      const silent = { ...LATE, session: null, lot_entry: null };
      await send(recordOf(1, entryRead(site, { reading: { direction: 'undefined' }, read: silent })));
      expect(names()).toEqual(['plate_reading_create']);

      const debounced = { ...deniedRead('debounce'), lot_entry: null };
      await send(recordOf(1, entryRead(site, { read: debounced })));
      expect(names()).toEqual(['plate_reading_create', 'plate_reading_update']);
      expect(payloadOf(1)).toMatchObject({ access_decision: 'denied', access_decision_reason: 'debounce' });
    },
  );

  it(
    'tell a refusal with its lot entry, and no session',
    proves('plate_reading_update: denied', 'lpr_event: denied'),
    async () => {
      await send(entryRead(world.site, { read: deniedRead('max_capacity') }));
      expect(names()).toEqual(['plate_reading_create', 'plate_reading_update', 'lpr_event']);
      expect(payloadOf(1)).toMatchObject({ access_decision: 'denied', access_decision_reason: 'max_capacity' });
      expect(payloadOf(2)).toMatchObject({ data: { is_allowed: 0, direction: 'in', related_lot_entry: null } });
    },
  );

  it('account a late retransmission without a decision', async () => {
    const { site } = world;
    await send(recordOf(1, entryRead(site, { reading: { retransmission: true }, read: LATE })));
    expect(names()).toEqual(['plate_reading_create', 'session_create', 'lpr_event']);
  });

  it('begin at the arrival where a gateway did not judge a camera whose clock stood in 1970', async () => {
    const { time_source: _, ...reading } = entryRead(world.site).reading;
    const record = {
      ...entryRead(world.site, { read: LATE }),
      reading: { ...reading, event_ms: 451_000, retransmission: true },
    };
    await send(record);
    expect(payloadOf(0)).toMatchObject({ created_at: iso(NOON_MS) });
    expect(payloadOf(1)).toMatchObject({ created_at: iso(NOON_MS) });
  });

  it('end a session whose exit was missed before the new one begins', async () => {
    const { site } = world;
    const first = entryRead(site, { reading: { event_ms: NOON_MS - 3_600_000 } });
    await send(first);
    const again = newUid();
    const session = { effect: 'begin', session_uid: again, ended_session_uid: sessionOf(first) } as const;
    await send(recordOf(2, entryRead(site, { read: { session } })));
    expect(names()).toEqual([
      'plate_reading_create',
      'plate_reading_update',
      'session_update',
      'session_create',
      'lpr_event',
    ]);
    expect(payloadOf(2)).toMatchObject({
      id: 1,
      ended_at: iso(NOON_MS - 60_000),
      possibly_exited: true,
      exit: { id: site.entryCamera, type: 'lpr_camera' },
    });
    expect(payloadOf(3)).toMatchObject({ id: 2, exit_allowed: true });
  });

  it('let an exit stand whose session ended meanwhile, or was never heard of', async () => {
    const { site } = world;
    const entry = entryRead(site);
    await send(entry);
    await world.store.change(async (tx) => {
      const ended = { ended_at: NOON_MS - 30_000, exit_type: 'account' as const, exit_source_id: site.account };
      await tx.updateTable('sessions').set(ended).execute();
    });
    await send(recordOf(2, exitRead(site, sessionOf(entry))));
    expect(names()).toEqual(['plate_reading_create', 'plate_reading_update', 'lpr_event']);
    await send(recordOf(3, exitRead(site, newUid())));
    expect(names()).toEqual(['plate_reading_create', 'plate_reading_update', 'lpr_event']);
    const session = await world.store.reader.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
    expect(session).toMatchObject({ ended_at: NOON_MS - 30_000, exit_type: 'account' as const, exit_reading_id: null });
  });
});

describe('the tariff of a session', () => {
  it("is the zone's first, the group's for its members, none where there is none", async () => {
    const { site } = world;
    const other = { zone_id: site.lowerZone };
    await send(
      entryRead(site),
      recordOf(2, entryRead(site, { reading: { plate: 'ZG-MIA1' } })),
      recordOf(3, entryRead(site, { reading: { plate: 'ZG5', ...other } })),
    );
    const rows = await world.store.reader.selectFrom('sessions').select('tariff_id').orderBy('id').execute();
    expect(rows.map(({ tariff_id }) => tariff_id)).toEqual([site.tariff, site.memberTariff, null]);
  });
});

describe('other records', () => {
  it('record how an opening went, and wait for the reading they belong to', async () => {
    const { site } = world;
    const reading = recordOf(0, entryRead(site));
    const failed = { outcome: 'failed', gateway_error_type: 4 } as const;
    await send(recordOf(1, { ...openingResult(reading.uid, site), ...failed }));
    expect(await world.store.reader.selectFrom('early_records').selectAll().execute()).toHaveLength(1);
    await send(reading);
    expect(await world.store.reader.selectFrom('early_records').selectAll().execute()).toEqual([]);
    const row = await world.store.reader.selectFrom('plate_readings').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ opening_outcome: 'failed', opening_error_type: 4, opening_event_id: 'deadbeef' });
    await send(recordOf(3, openingResult(reading.uid, site)));
    expect(names()).toEqual([]);
  });

  it('show a picture when it has come, before its reading or after', async () => {
    const { site, images } = world;
    const lane2 = newOutboxEpoch();
    for (const [index, isEarly] of [true, false].entries()) {
      const image = newUid();
      const reading = recordOf(1, entryRead(site, { reading: { images: [{ uid: image, role: 'full' }] } }));
      const picture = recordOf(index + 1, imagePayload(reading.uid), { uid: image });
      const sendPicture = () => world.ingest.apply(NORTH_GATEWAY, wireBatch(lane2, 2, [picture]));
      if (isEarly) await sendPicture();
      await send(reading);
      if (!isEarly) await sendPicture();
      const row = await world.store.reader.selectFrom('images').selectAll().where('uid', '=', image).executeTakeFirst();
      expect(row).toMatchObject({ owner_uid: reading.uid, role: 'full', arrived_at: world.clock.now() });
      expect(Uint8Array.from((await images.read(image)) ?? [])).toEqual(JPEG);
    }
  });

  it('keep a sighting with its picture for 24 hours', async () => {
    const { site, ingest, store, clock, images } = world;
    const [uid, epoch] = [newUid(), newOutboxEpoch()];
    const seen = recordOf(1, { ...sighting(site), images: [{ uid, role: 'full' }] });
    await ingest.apply(NORTH_GATEWAY, wireBatch(epoch, 1, [seen]));
    await ingest.apply(NORTH_GATEWAY, wireBatch(epoch, 2, [recordOf(1, imagePayload(seen.uid), { uid })]));
    const count = async () => [
      (await store.reader.selectFrom('sightings').selectAll().execute()).length,
      (await store.reader.selectFrom('images').selectAll().execute()).length,
    ];
    expect(await count()).toEqual([1, 1]);
    clock.jumpWall(23 * 3_600_000);
    await ingest.prune();
    expect(await count()).toEqual([1, 1]);
    expect(await images.read(uid)).not.toBeNull();
    clock.jumpWall(3_600_000);
    await ingest.prune();
    expect(await count()).toEqual([0, 0]);
    expect(await images.read(uid)).toBeNull();
  });
});

describe('time without a clock', () => {
  it('is placed by the boot that said hello, and marked', async () => {
    const { site, bootClocks, clock } = world;
    const boot_id = newUid();
    clock.jumpWall(7_200_000);
    bootClocks.note(site.gateway, { boot_id, mono_ms: 600_000 }, clock.now());
    const unknownBoot = newUid();
    await send(
      recordOf(1, entryRead(site, { reading: { event_ms: 1_000 } }), {
        boot_id,
        mono_ms: 540_000,
        wall_ms: 1_000,
        clock_ok: false,
      }),
      recordOf(2, entryRead(site, { reading: { event_ms: 1_000, plate: 'ZG2' } }), {
        boot_id: unknownBoot,
        mono_ms: 9e9,
        clock_ok: false,
      }),
      recordOf(3, entryRead(site, { reading: { event_ms: clock.now() + 3_600_000, plate: 'ZG3' } })),
    );
    const rows = await world.store.reader
      .selectFrom('plate_readings')
      .select(['created_at', 'time_estimated'])
      .orderBy('id')
      .execute();
    expect(rows).toEqual([
      { created_at: clock.now() - 60_000, time_estimated: 1 },
      { created_at: clock.now() - 600_000, time_estimated: 1 },
      { created_at: clock.now(), time_estimated: 1 },
    ]);
  });
});

describe('another gateway of the lot', () => {
  it('ends the session that the first one began', async () => {
    const { site, ingest } = world;
    const entry = entryRead(site);
    await send(entry);
    world.pushed.length = 0;
    await ingest.apply(SECOND_GATEWAY, wireBatch(newOutboxEpoch(), 0, [recordOf(1, exitRead(site, sessionOf(entry)))]));
    expect(names()).toEqual(['plate_reading_create', 'plate_reading_update', 'session_update', 'lpr_event']);
  });
});
