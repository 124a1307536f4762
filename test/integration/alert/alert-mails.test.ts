/** Mails of license plate alerts: in the transaction of the reading, and no more often than was asked. */
import type { KyselyPlugin } from 'kysely';
import { mailAlerts } from '../../../cloud/guests/alert/alert-mails.js';
import { pruneAlertMails } from '../../../cloud/guests/alert/prune-alert-mails.js';
import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import type { UplinkRecord } from '../../../shared/uplink.js';
import { runs, runsTimeoutMs } from '../../depth.js';
import { NORTH_GATEWAY, SITE_MADE_MS } from '../gateway/link-site.js';
import { senderOf, storeWorld } from '../gateway/store-world.js';
import {
  entryRead,
  newOutboxEpoch,
  newUid,
  NOON_MS,
  recordOf,
  refinementOf,
  wireBatch,
} from '../ingest/gateway-records.js';
import { MINUTE_MS } from '../../../shared/durations.js';

const world = storeWorld('for each test');
const sendLane = senderOf(world);

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

async function send(...payloads: object[]): Promise<UplinkRecord[]> {
  const records = payloads.map((payload) => recordOf(0, payload));
  await sendLane(0, ...records);
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

  it('writes in the language of a receiver whom keys have made known', async () => {
    const row = { account_id: world.site.account, email: 'b@harbour.example', name: 'B', locale: 'hu' };
    await world.store.change((tx) =>
      tx
        .insertInto('key_receivers')
        .values({ ...row, created_at: SITE_MADE_MS, updated_at: SITE_MADE_MS })
        .execute(),
    );
    await watch({ receivers: ['a@harbour.example', 'b@harbour.example'] });
    await send(read());
    expect((await mails()).map(({ receiver_email, locale }) => [receiver_email, locale])).toEqual([
      ['a@harbour.example', null],
      ['b@harbour.example', 'hu'],
    ]);
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
    await world.clock.sleep(48 * 60 * MINUTE_MS);
    await send(read());
    expect((await mails()).map(({ content }) => content.event_time)).toEqual([expect.any(Number)]);
    expect(Number((await mails())[0]?.content.event_time)).toBeLessThan(NOON_MS + 60 * MINUTE_MS);
  });

  it(
    'never mails more often than asked, and never less, whatever is read when',
    async () => {
      const PLATES = ['ZG1234AB', 'KA100', 'ST55'];
      const RECEIVERS = ['a@harbour.example', 'b@harbour.example'];
      const alert = fc.record({
        plates: fc.subarray(PLATES, { minLength: 1 }),
        receivers: fc.subarray(RECEIVERS, { minLength: 1 }),
        minutes: fc.constantFrom(0, 1, 5, 30),
      });
      const step = fc.record({
        wait: fc.constantFrom(0, 0, 1, 4, 5, 29, 30),
        plates: fc.array(fc.constantFrom(...PLATES), { maxLength: 3 }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(alert, { minLength: 1, maxLength: 3 }),
          fc.array(step, { minLength: 1, maxLength: 8 }),
          async (alerts, steps) => {
            await world.store.change(async (tx) => {
              for (const table of [
                'alert_mails',
                'mails',
                'alert_plates',
                'alert_receivers',
                'license_plate_alerts',
              ] as const)
                await tx.deleteFrom(table).execute();
            });
            for (const each of alerts) await watch(each);
            const mailedAt = new Map<string, number>();
            const expected: string[] = [];
            for (const { wait, plates } of steps) {
              await world.clock.sleep(wait * MINUTE_MS);
              if (plates.length > 0) await send(...plates.map((plate) => read(plate)));
              const now = world.clock.now();
              // Readings of one batch are gone through by plate.
              for (const plate of plates.toSorted()) {
                const mailedOfThis = new Set<string>();
                for (const { minutes, receivers: who } of alerts.filter((each) => each.plates.includes(plate))) {
                  for (const receiver of who) {
                    const name = `${plate} ${receiver}`;
                    const last = mailedAt.get(name);
                    if (mailedOfThis.has(name) || (last !== undefined && now - last < minutes * MINUTE_MS)) continue;
                    mailedOfThis.add(name);
                    mailedAt.set(name, now);
                    expected.push(name);
                  }
                }
              }
            }
            const sent = (await mails()).map(
              ({ content, receiver_email }) => `${String(content.plate)} ${receiver_email}`,
            );
            expect(sent.toSorted()).toEqual(expected.toSorted());
          },
        ),
        { numRuns: runs(25, 10) },
      );
    },
    runsTimeoutMs(60_000, 10),
  );

  it('asks the database a few times, however many receivers there are', async () => {
    const many = Array.from({ length: 1_200 }, (_, at) => `duty${at}@harbour.example`);
    await watch({ receivers: many.slice(0, 700) });
    await watch({ receivers: many.slice(500), minutes: 0 });
    await send(read('KA100'));
    const stored = await world.store.reader.selectFrom('plate_readings').selectAll().executeTakeFirstOrThrow();
    const reading = { ...stored, plate: 'ZG1234AB', plate_normalised: 'ZG1234AB', image_uid: null };
    let statements = 0;
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        statements += 1;
        return result;
      },
    };
    await world.store.change((tx) => mailAlerts(tx.withPlugin(counting), [reading, { ...reading, id: 99 }], 1_000));
    // 700 receivers are in no time mailed again, the others by each reading; who is of both alerts, by each as well.
    expect((await receivers()).length).toBe(1_200 + 700);
    expect(new Set(await receivers()).size).toBe(1_200);
    // Whom it concerns, where it was, two pieces of each alert for each reading, the queue's length, and four pieces of mails.
    expect(statements).toBeLessThanOrEqual(1 + 4 + 8 + 1 + 4);
  });

  it('is forgotten when nothing asks for it any more, or after the longest time between two mails', async () => {
    const kept = async () =>
      (await world.store.reader.selectFrom('alert_mails').selectAll().orderBy('receiver_email').execute()).map(
        ({ receiver_email, plate_normalised }) => `${plate_normalised} ${receiver_email}`,
      );
    const prune = () => pruneAlertMails(world.store, world.clock.now());
    await watch({ receivers: ['a@harbour.example', 'b@harbour.example'], plates: ['ZG1234AB', 'KA100'] });
    await watch({ receivers: ['b@harbour.example'] });
    await send(read(), read('KA100'));
    await prune();
    expect(await kept()).toHaveLength(4);
    const first = world.store.reader.selectFrom('license_plate_alerts').select('id').orderBy('id');
    const { id } = await first.executeTakeFirstOrThrow();
    await world.store.change((tx) => tx.deleteFrom('license_plate_alerts').where('id', '=', id).execute());
    await prune();
    expect(await kept()).toEqual(['ZG1234AB b@harbour.example']);
    const mailedAt = world.store.reader.selectFrom('alert_mails').select('mailed_at');
    const { mailed_at } = await mailedAt.executeTakeFirstOrThrow();
    const year = 525_600 * MINUTE_MS;
    await pruneAlertMails(world.store, mailed_at + year - 1);
    expect(await kept()).toHaveLength(1);
    await pruneAlertMails(world.store, mailed_at + year);
    expect(await kept()).toEqual([]);
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
      .apply(NORTH_GATEWAY, wireBatch(newOutboxEpoch(), 0, [recordOf(1, read(), { uid: newUid() })]))
      .catch(() => {});
    expect(await receivers()).toEqual([]);
  });
});
