/** What several owners have of each kind, for tests of who reaches and sees what. */
import { hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import type { Owned } from '../../attack/indirect-reach.js';
import { lotEntryRow } from '../session/reading-rows.js';
import type { Kind } from './least-things.js';
import type { Attempt } from './race-things.js';
import type { RestWorld } from './rest-world.js';

export const RIVAL_OWNER_TOKEN = 'rival-owner-token';

/** What each owner has. */
export const MADE: Kind[] = [
  '/v2/zones',
  '/v2/tariffs',
  '/v2/gateways',
  '/v2/parking-gateways',
  '/v2/parking-places',
  '/v2/products',
  '/v2/lpr-cameras',
  '/v2/members',
  '/v2/groups',
  '/v2/products/{id}/bound-licenses',
  '/v2/sessions',
  '/v2/license-plate-alerts',
  '/v2/rgb-displays',
  '/v2/rgb-display-rules',
  '/v2/webhooks',
  '/v2/weblinks',
  '/v2/key-logs',
];

/** Makes one of each kind, so that what acts on lots acts on the attempt's lot. */
export async function ownedBy(world: RestWorld, attempt: Attempt, token?: string): Promise<Owned> {
  const { cloud } = world;
  for (const kind of MADE) await attempt.id(kind);
  const zone_id = await attempt.id('/v2/zones');
  const [group, member] = [await attempt.id('/v2/groups'), await attempt.id('/v2/members')];
  await world.patch(`/v2/groups/${group}`, { zone_ids: [zone_id], member_ids: [member] }, token);
  await world.patch(`/v2/zones/${zone_id}`, { tariff_ids: [await attempt.id('/v2/tariffs')] }, token);
  const alert = await attempt.id('/v2/license-plate-alerts');
  await world.patch(`/v2/license-plate-alerts/${alert}`, { zone_id }, token);
  await attempt.id('/v2/terminals');
  await cloud.store.change(async (tx) => {
    const terminal = { id: Number(await attempt.id('/v2/terminals')), zone_id: Number(zone_id) };
    await tx.updateTable('terminals').set({ zone_id: terminal.zone_id }).where('id', '=', terminal.id).execute();
  });
  const { reader } = cloud.store;
  const { id: receiver } = await reader
    .selectFrom('alert_receivers')
    .select('id')
    .where('license_plate_alert_id', '=', Number(alert))
    .executeTakeFirstOrThrow();
  const session = await attempt.id('/v2/sessions');
  const { id: reading } = await reader
    .selectFrom('plate_readings')
    .select('id')
    .where('session_id', '=', Number(session))
    .executeTakeFirstOrThrow();
  const entry = await insertLotEntry(world, attempt, reading);
  return {
    attempt,
    async named(path, parameter) {
      if (parameter === 'memberId') return attempt.id('/v2/members');
      if (parameter === 'licenseId') return attempt.id('/v2/products/{id}/bound-licenses');
      if (parameter === 'reciverId') return receiver;
      // It belongs to the webhook that the path names before.
      if (parameter === 'deliveryId') return 1;
      if (path.startsWith('/v2/plate-readings')) return reading;
      if (path.startsWith('/v2/lot-entries')) return entry;
      return attempt.id(path.split('/{', 1)[0] ?? '');
    },
  };
}

/** Only gateways make them. */
async function insertLotEntry({ cloud }: RestWorld, attempt: Attempt, plate_reading_id: number): Promise<number> {
  const lot_id = Number(await attempt.id('/v2/lots'));
  const lpr_camera_id = Number(await attempt.id('/v2/lpr-cameras'));
  return cloud.store.change(async (tx) => {
    const { account_id } = await tx
      .selectFrom('lots')
      .select('account_id')
      .where('id', '=', lot_id)
      .executeTakeFirstOrThrow();
    const row = lotEntryRow({ plate_reading_id, account_id, lot_id, lpr_camera_id, at: cloud.clock.now() });
    return (await tx.insertInto('lot_entries').values(row).returning('id').executeTakeFirstOrThrow()).id;
  });
}

/** Gives the lot to the Admin and the Attendant. */
export async function assignTo({ cloud, site, admin }: RestWorld, lot_id: number): Promise<void> {
  await cloud.store.change(async (tx) => {
    for (const account_user_id of [admin, site.guard]) {
      await tx.insertInto('account_user_lots').values({ account_user_id, lot_id }).execute();
    }
  });
}

/** Gives a user token to the Super Admin of the other account. */
export async function signInRival({ cloud, site }: RestWorld): Promise<void> {
  await cloud.store.change(async (tx) => {
    const { id } = await tx
      .selectFrom('account_users')
      .select('id')
      .where('account_id', '=', site.rival)
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('user_tokens')
      .values({
        account_user_id: id,
        type: 'user',
        token_hash: hashToken(RIVAL_OWNER_TOKEN),
        created_at: 1,
        expires_at: Number.MAX_SAFE_INTEGER,
      })
      .execute();
  });
}
