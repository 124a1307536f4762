/** Cameras as their gateways report them. */
import type { Db } from '../cloud-store.js';
import type { Row } from '../schema.js';

/** Cameras that a gateway serves, as far as they are in its lot. */
export function camerasOfGateway(
  db: Db,
  gateway: { id: number; lot_id: number },
): Promise<Pick<Row<'lpr_cameras'>, 'id' | 'device_id' | 'status'>[]> {
  return db
    .selectFrom('lpr_cameras')
    .innerJoin('zones', 'zones.id', 'lpr_cameras.zone_id')
    .select(['lpr_cameras.id', 'lpr_cameras.device_id', 'lpr_cameras.status'])
    .where('lpr_cameras.gateway_id', '=', gateway.id)
    .where('zones.lot_id', '=', gateway.lot_id)
    .execute();
}

export async function saveCameraStatus(
  db: Db,
  camera: { id: number; status: 'online' | 'offline'; isChanged: boolean; now: number },
): Promise<void> {
  const { id, status, isChanged, now } = camera;
  if (!isChanged && status === 'offline') return;
  await db
    .updateTable('lpr_cameras')
    .set({
      status,
      ...(status === 'online' ? { last_seen: now } : {}),
      ...(isChanged ? { updated_at: now } : {}),
    })
    .where('id', '=', id)
    .execute();
}
