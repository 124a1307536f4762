import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import type { CloudWorld } from '../http/http-world.js';

/** Adds a closed product that was just heard. @param of.number no other product of the test has it. @returns its id */
export function addCommandProduct(
  cloud: CloudWorld,
  of: Pick<NewRow<'products'>, 'account_id' | 'lot_id' | 'zone_id' | 'product_type_id'> & {
    number: number;
    isPaired: boolean;
  },
): Promise<number> {
  const { number, isPaired, ...place } = of;
  const key = new Uint8Array(32).fill(number);
  const row: NewRow<'products'> = {
    ...place,
    device_id: number.toString(16).padStart(12, '0'),
    name: `Product ${number}`,
    power_type: 'battery',
    hardware_version: '',
    firmware_version: '',
    latitude: null,
    longitude: null,
    status: 'online',
    advertisement_data: '',
    battery_status: null,
    rssi: null,
    pairing_epoch: 1,
    master_key_sealed: isPaired ? cloud.commandParts.secrets.seal('product_master_key', key) : null,
    seen_at: cloud.clock.now(),
    created_at: 0,
    updated_at: 0,
  };
  return cloud.store.change(async (tx) => {
    const { id } = await tx.insertInto('products').values(row).returning('id').executeTakeFirstOrThrow();
    const block = { product_id: id, state: 'closed' as const, is_autoclose: 1, autoclose_time: 20, is_car_on_top: 0 };
    const times = { created_at: 0, updated_at: 0 };
    await tx
      .insertInto('product_blocks')
      .values({ ...block, permanent_position: 'disabled', ...times })
      .execute();
    return id;
  });
}
