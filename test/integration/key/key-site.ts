/** Two lots with a product each, and guests' keys of them, over REST. */
import { gatewayRow } from '../gateway/link-site.js';
import type { CloudWorld, WorldOptions } from '../http/http-world.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';
import { noteHeard } from '../product/note-heard.js';

export const MASTER_KEY = 'ab'.repeat(32);

export interface KeyWorld extends RestWorld {
  /** In North; a gateway hears it. */
  barrier: number;
  /** In South. */
  gate: number;
  /** Of the rival. */
  foreign: number;
  gateway: number;
  iso(fromNowMs: number): string;
}

export interface KeyLog {
  id: number;
  name: string;
  status: string;
  operation_token_id: number;
  deleted_at: string | null;
  operation_token: { id: number; status: string; token_open: { token: string }; used_count: number };
  [key: string]: unknown;
}

export async function startKeyWorld(options: WorldOptions = {}): Promise<KeyWorld> {
  const world = await startRestWorld(options);
  const { site, cloud } = world;
  const gateway = await cloud.store.change(async (tx) => {
    const row = gatewayRow({ account_id: site.harbour, lot_id: site.north, slot: 1, name: 'Pi' });
    const online = { ...row, uuid: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01', status: 'online' as const };
    return (await tx.insertInto('gateways').values(online).returning('id').executeTakeFirstOrThrow()).id;
  });
  const product = async (device_id: string, zone_id: number) => {
    const body = { device_id, zone_id, name: `Product ${device_id}`, product_type_id: 1, master_key: MASTER_KEY };
    return (await world.post<{ id: number }>('/v2/products', body)).id;
  };
  const barrier = await product('a4c138000001', site.zone);
  const gate = await product('a4c138000002', site.southZone);
  await noteHeard({ ...cloud, ...cloud.commandParts }, barrier, { gateway_id: gateway, rssi: -50 });
  const foreign = await insertForeign(cloud, { account_id: site.rival, lot_id: site.rivalLot });
  const iso = (fromNowMs: number) => new Date(cloud.clock.now() + fromNowMs).toISOString();
  return { ...world, barrier, gate, foreign, gateway, iso };
}

async function insertForeign({ store }: CloudWorld, place: { account_id: number; lot_id: number }): Promise<number> {
  return store.change(async (tx) => {
    const columns = { device_id: 'a4c138000009', name: 'Rival', power_type: 'mains', product_type_id: 1 };
    const unknown = { zone_id: null, latitude: null, longitude: null, battery_status: null, rssi: null, seen_at: null };
    const { id } = await tx
      .insertInto('products')
      .values({
        ...place,
        ...columns,
        ...unknown,
        hardware_version: '',
        firmware_version: '',
        status: 'offline',
        advertisement_data: '',
        pairing_epoch: 0,
        master_key_sealed: null,
        clock_record_at: null,
        created_at: 1,
        updated_at: 1,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  });
}

/** The mails that wait, the oldest first. */
export async function mailsOf({ cloud }: RestWorld) {
  const rows = await cloud.store.reader.selectFrom('mails').selectAll().orderBy('id').execute();
  return rows.map(({ content, ...row }) => ({ ...row, content: JSON.parse(content) as Record<string, unknown> }));
}
