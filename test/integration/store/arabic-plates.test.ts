/** Plates that were stored before the letters of the Arabic script had one form are found by the new one. */
import { expect, it } from 'vitest';
import type { Schema } from '../../../cloud/kernel/store/entry.js';
import { foldArabicPlates } from '../../../cloud/traffic/reading/arabic-plate-tables.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { addMember } from '../gateway/link-site.js';
import { senderOf, storeWorld } from '../gateway/store-world.js';
import { entryRead } from '../ingest/gateway-records.js';

const world = storeWorld('for each test');
const sendLane = senderOf(world);

const PERSIAN = '12\u06cc345\u06a967';
const HAMZA = '\u0623\u0628\u06401234';
const LATIN = 'ZG1234\u010c';

const platesOf = async (table: 'members' | 'plate_readings' | 'sessions' | 'alert_plates' | 'alert_mails') =>
  (await world.store.reader.selectFrom(table).select('plate_normalised').orderBy('id').execute()).map(
    ({ plate_normalised }) => plate_normalised,
  );

it('in every table, and twice in none where a plate stands once', async () => {
  const { store, site } = world;
  await sendLane(0, entryRead(site, { reading: { plate: PERSIAN } }));
  await store.change(async (tx) => {
    const { account_id } = await tx
      .selectFrom('lots')
      .select('account_id')
      .where('id', '=', site.lot)
      .executeTakeFirstOrThrow();
    await tx.deleteFrom('members').execute();
    for (const plate of [PERSIAN, HAMZA, LATIN]) await addMember(tx, { account_id, group_id: site.group, plate });
    await tx.updateTable('plate_readings').set({ plate_normalised: PERSIAN }).execute();
    await tx.updateTable('sessions').set({ plate_normalised: PERSIAN }).execute();
    const times = { created_at: 1, updated_at: 1 };
    const named = { account_id, zone_id: site.zone, name: 'VIP', min_minutes_between_emails: 0, ...times };
    const { id } = await tx.insertInto('license_plate_alerts').values(named).returning('id').executeTakeFirstOrThrow();
    for (const plate of [PERSIAN, '12\u0649345\u064367', HAMZA, '\u0627\u06281234'])
      await tx
        .insertInto('alert_plates')
        .values({ license_plate_alert_id: id, plate, plate_normalised: plate, ...times })
        .execute();
    for (const plate_normalised of [HAMZA, '\u0625\u06281234'])
      await tx
        .insertInto('alert_mails')
        .values({ account_id, plate_normalised, receiver_email: 'a@example.com', plate_reading_id: 1, mailed_at: 1 })
        .execute();
    await foldArabicPlates(tx as unknown as Schema);
    // Nothing is left to do.
    await foldArabicPlates(tx as unknown as Schema);
  });
  expect(await platesOf('members')).toEqual([PERSIAN, HAMZA, LATIN].map(normalisePlate));
  expect(await platesOf('plate_readings')).toEqual([normalisePlate(PERSIAN)]);
  expect(await platesOf('sessions')).toEqual([normalisePlate(PERSIAN)]);
  // Which are the second and the third one's as well.
  expect(await platesOf('alert_plates')).toEqual([
    normalisePlate(PERSIAN),
    '12\u0649345\u064367',
    HAMZA,
    normalisePlate(HAMZA),
  ]);
  expect(await platesOf('alert_mails')).toEqual([normalisePlate(HAMZA), '\u0625\u06281234']);
});
