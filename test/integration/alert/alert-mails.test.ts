/** Mails of license plate alerts: in the transaction of the reading, and no more often than was asked. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import type { UplinkRecord } from '../../../shared/uplink.js';
import { NORTH_GATEWAY, SITE_MADE_MS } from '../gateway/link-site.js';
import { createStoreWorld, type StoreWorld } from '../gateway/link-world.js';
import {
  entryRead,
  newOutboxEpoch,
  newUid,
  NOON_MS,
  recordOf,
  refinementOf,
  wireBatch,
} from '../ingest/gateway-records.js';

const MINUTE_MS = 60_000;

let world: StoreWorld;
let epoch: ReturnType<typeof newOutboxEpoch>;
let seq: number;
beforeEach(async () => {
  world = await createStoreWorld();
  epoch = newOutboxEpoch();
  seq = 0;
});
afterEach(() => world.close());

interface Wanted {
  plates?: string[];
  receivers?: string[];
  zone_id?: number | null;
  minutes?: number;
  account_id?: number;
}

async function watch({ plates = ['ZG 1234-AB'], receivers = ['duty@harbour.example'], ...more }: Wanted = {}) {
  const { zone_id = null, minutes = 30, account_id = world.site.account } = more;
  const times = { created_at: SITE_MADE_MS, updated_at: SITE_MADE_MS };
  await world.store.change(async (tx) => {
    const { id } = await tx
      .insertInto('license_plate_alerts')
      .values({ account_id, zone_id, name: 'Wanted', min_minutes_between_emails: minutes, ...times })
      .returning('id')
      .executeTakeFirstOrThrow();
    const part = { license_plate_alert_id: id, ...times };
    await tx
      .insertInto('alert_plates')
      .values(plates.map((plate) => ({ plate, plate_normalised: normalisePlate(plate), ...part })))
      .execute();
    await tx
      .insertInto('alert_receivers')
      .values(receivers.map((receiver_email) => ({ receiver_email, name: 'Duty', ...part })))
      .execute();
  });
}

async function send(...payloads: unknown[]): Promise<UplinkRecord[]> {
  const records = payloads.map((payload) => recordOf((seq += 1), payload, { uid: newUid() }));
  const ack = await world.ingest.apply(NORTH_GATEWAY, wireBatch(epoch, 0, records));
  expect(ack).toMatchObject({ seq });
  return records;
}

const read = (plate = 'ZG1234AB') => entryRead(world.site, { reading: { plate } });

async function mails() {
  const rows = await world.store.reader.selectFrom('mails').selectAll().orderBy('id').execute();
  return rows.map(({ content, ...row }) => ({ ...row, content: JSON.parse(content) as Record<string, unknown> }));
}
const receivers = async () => (await mails()).map(({ receiver_email }) => receiver_email);

describe('a license plate alert', () => {
  it('mails its receivers what was read, where and when', async () => {
    const { site } = world;
    await watch({ receivers: ['a@harbour.example', 'b@harbour.example'] });
    await send(read());
    expect(await receivers()).toEqual(['a@harbour.example', 'b@harbour.example']);
    expect((await mails())[0]).toMatchObject({
      kind: 'alert',
      account_id: site.account,
      lot_id: site.lot,
      status: 'queued',
      content: {
        alert_name: 'Wanted',
        receiver_id: expect.any(Number),
        plate: 'ZG1234AB',
        event_time: expect.any(Number),
        timezone: 'Europe/Zagreb',
        lot_name: 'North',
        zone_name: expect.any(String),
        camera_name: expect.any(String),
        direction: 'in',
        access_decision: 'triggered',
        access_decision_reason: 'tariff',
        image_uid: null,
      },
    });
  });

  it('mails at most once per plate and receiver in its minutes, however many alerts and gateways there are', async () => {
    await watch({ minutes: 30, plates: ['ZG1234AB', 'KA100'] });
    await watch({ minutes: 5 });
    await send(read(), read('KA100'), read());
    expect(await receivers()).toHaveLength(2);
    await world.clock.advance(4 * MINUTE_MS);
    await send(read());
    expect(await receivers()).toHaveLength(2);
    await world.clock.advance(MINUTE_MS);
    await send(read(), read('KA100'));
    expect((await mails()).map(({ content }) => content.plate)).toEqual(['KA100', 'ZG1234AB', 'ZG1234AB']);
  });

  it('without such minutes mails at every reading, and once for each of them', async () => {
    await watch({ minutes: 0 });
    await watch({ minutes: 0 });
    await send(read(), read());
    expect(await receivers()).toHaveLength(2);
  });

  it('is of its zone, of its account and of its plates only', async () => {
    const { site } = world;
    await watch({ zone_id: site.lowerZone });
    await watch({ account_id: site.rivalAccount });
    await watch({ plates: ['KA1'] });
    await send(read());
    expect(await receivers()).toEqual([]);
    await watch({ zone_id: site.zone, receivers: ['zone@harbour.example'] });
    await send(read());
    expect(await receivers()).toEqual(['zone@harbour.example']);
  });

  it('is told of a plate that only a later look at the vehicle read right', async () => {
    await watch();
    const first = read('ZG1234A8');
    const [record] = await send(first);
    expect(await receivers()).toEqual([]);
    const right = { reading: { plate: 'ZG1234AB', raw_plate: 'ZG1234AB' } };
    await send(refinementOf(record?.uid ?? newUid(), first, { refinement: 1, ...right }));
    expect(await receivers()).toEqual(['duty@harbour.example']);
  });

  it('mails of a reading that came late, with its own time', async () => {
    await watch();
    await world.clock.advance(48 * 60 * MINUTE_MS);
    await send(read());
    expect((await mails()).map(({ content }) => content.event_time)).toEqual([expect.any(Number)]);
    expect(Number((await mails())[0]?.content.event_time)).toBeLessThan(NOON_MS + 60 * MINUTE_MS);
  });

  it('mails nothing of a reading that is not kept', async () => {
    await watch();
    const { change } = world.store;
    world.store.change = (work) =>
      change(async (tx) => {
        await work(tx);
        throw new Error('power cut');
      });
    await world.ingest
      .apply(NORTH_GATEWAY, wireBatch(epoch, 0, [recordOf(1, read(), { uid: newUid() })]))
      .catch(() => {});
    expect(await receivers()).toEqual([]);
  });
});
