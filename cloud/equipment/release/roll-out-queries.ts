import { decodeJson } from '../../../shared/json-text-codec.js';
import { type Caller, seesLot } from '../../kernel/auth/entry.js';
import type { Db, Row } from '../../kernel/store/entry.js';
import type { UpdatedGateway } from './decide-account-roll-out.js';

export type AccountGateway = UpdatedGateway & Pick<Row<'gateways'>, 'id' | 'lot_id'>;

/** Lists the claimed gateways that the caller sees, with their software, in the order of their names. */
export async function findUpdatedGateways(db: Db, caller: Caller): Promise<AccountGateway[]> {
  const rows = await db
    .selectFrom('gateways')
    .leftJoin('gateway_health', 'gateway_health.gateway_id', 'gateways.id')
    .leftJoin('gateway_updates', 'gateway_updates.gateway_id', 'gateways.id')
    .select([
      'gateways.id',
      'gateways.account_id',
      'gateways.lot_id',
      'gateways.uuid',
      'gateway_health.health',
      'gateway_updates.is_paused',
    ])
    .where('gateways.account_id', '=', caller.account_id)
    .where('gateways.mqtt_password_hash', 'is not', null)
    .orderBy('gateways.name')
    .orderBy('gateways.id')
    .execute();
  return rows.flatMap(({ id, account_id, lot_id, uuid, health, is_paused }) =>
    uuid === null || !seesLot(caller, lot_id)
      ? []
      : {
          id,
          account_id,
          lot_id,
          uuid,
          report: health === null ? undefined : decodeJson(health).update,
          wishes: { is_paused: is_paused ?? 0 },
        },
  );
}
