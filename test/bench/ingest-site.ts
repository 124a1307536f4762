/** Many small accounts, as an installation has them: each a lot with some gateways, of which each has a camera. */
import { randomUUID } from 'node:crypto';
import type { CloudStore } from '../../cloud/kernel/store/cloud-store.js';
import { insertRow } from '../../cloud/kernel/store/row-queries.js';
import type { GatewayUuid } from '../../shared/ids.js';
import { accountRow } from '../conformance/account-row.js';
import { cameraRow, claimedAs, gatewayRow, lotRow, zoneRow } from '../integration/gateway/link-site.js';

export interface BenchGateway {
  uuid: GatewayUuid;
  camera: number;
  zone: number;
}

export function seedIngestSite(
  store: CloudStore,
  { accounts, gatewaysEach }: { accounts: number; gatewaysEach: number },
): Promise<BenchGateway[]> {
  return store.change(async (tx) => {
    const gateways: BenchGateway[] = [];
    for (let number = 1; number <= accounts; number++) {
      const account_id = await insertRow(tx, 'accounts', accountRow(`Account ${number}`));
      const lot_id = await insertRow(tx, 'lots', lotRow(account_id, 'Lot'));
      const zone = await insertRow(tx, 'zones', zoneRow(account_id, lot_id, 'Level 0'));
      for (let slot = 1; slot <= gatewaysEach; slot++) {
        const uuid = randomUUID() as GatewayUuid;
        const row = { ...gatewayRow({ account_id, lot_id, slot, name: `Gateway ${slot}` }), ...claimedAs(uuid) };
        const gateway_id = await insertRow(tx, 'gateways', row);
        const device_id = `camera-${slot}`;
        const place = { account_id, zone_id: zone, gateway_id, product_id: null, device_id };
        gateways.push({ uuid, zone, camera: await insertRow(tx, 'lpr_cameras', cameraRow(place)) });
      }
    }
    return gateways;
  });
}
