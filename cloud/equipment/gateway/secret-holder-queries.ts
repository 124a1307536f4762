/** Hands the secrets of a gateway's things to the device that claims it (REST contract, "Common rules"). */
import type { Tx } from '../../kernel/store/entry.js';
import { decodeHolders, deviceHolder, firstDeviceOf } from '../../rest/entry.js';
import type { GatewayRow } from './gateway-queries.js';
import { SECRET_TABLES } from './secret-holder-tables.js';

/**
 * What was given while no device was the gateway is for the first one. What a former device had goes along only where a Super Admin said so
 * when the code was made; else it stays behind, until somebody writes it again.
 * @param gateway as it was before this claim
 */
export async function handSecretsOn(
  tx: Tx,
  { id, public_key, claim_keeps_secrets }: GatewayRow,
  device: { public_key: string },
): Promise<void> {
  const given = new Set([firstDeviceOf(id)]);
  if (claim_keeps_secrets === 1) {
    const former = await tx.selectFrom('retired_devices').select('public_key').where('gateway_id', '=', id).execute();
    for (const each of former) given.add(deviceHolder(each.public_key));
    if (public_key !== null) given.add(deviceHolder(public_key));
  }
  const holder = deviceHolder(device.public_key);
  for (const table of SECRET_TABLES) {
    const rows = await tx
      .selectFrom(table as 'lpr_cameras')
      .select(['id', 'secrets_for'])
      .where('gateway_id', '=', id)
      .where('secrets_for', 'is not', null)
      .execute();
    for (const row of rows) {
      const handed = Object.entries(decodeHolders(row) ?? {}).map(([name, of]) => [
        name,
        of !== null && given.has(of) ? holder : of,
      ]);
      const secrets_for = JSON.stringify(Object.fromEntries(handed));
      if (secrets_for === row.secrets_for) continue;
      await tx
        .updateTable(table as 'lpr_cameras')
        .set({ secrets_for })
        .where('id', '=', row.id)
        .execute();
    }
  }
}
