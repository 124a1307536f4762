/** Whom the secrets of things with a gateway were given for, and whether they go along when another device claims it. */
import { sql } from 'kysely';
import type { Schema } from '../../kernel/store/entry.js';
import { firstDeviceOf, deviceHolder, holdsAddressSecret } from '../../rest/entry.js';

/** The tables of the things that a gateway is sent secrets of. */
export const SECRET_TABLES = ['lpr_cameras', 'parking_gateways', 'rgb_displays'] as const;

/** A longer one seals a text that is not empty (`kernel/secrets`). */
const SEALED_EMPTY_CHARS = 41;

interface Cells {
  id: number;
  gateway_id: number | null;
  public_key: string | null;
  driver: string;
  address: string;
  password_sealed?: string;
  push_key_sealed?: string;
  application?: string | null;
}

/** Adds the columns, and gives the present secrets to the gateways that have them. */
export async function addSecretHolders(db: Schema): Promise<void> {
  await sql`alter table gateways add column claim_keeps_secrets integer not null default 0`.execute(db);
  for (const table of SECRET_TABLES) {
    await sql`alter table ${sql.table(table)} add column secrets_for text`.execute(db);
    const { rows } = await sql<Cells>`
      select ${sql.table(table)}.*, gateways.public_key from ${sql.table(table)}
      left join gateways on gateways.id = ${sql.table(table)}.gateway_id
    `.execute(db);
    for (const row of rows) {
      const secrets_for = JSON.stringify(presentHolders(row));
      await sql`update ${sql.table(table)} set secrets_for = ${secrets_for} where id = ${row.id}`.execute(db);
    }
  }
}

function presentHolders(row: Cells): Record<string, string | null> {
  const { gateway_id, public_key, driver, address, application } = row;
  const ofGateway = gateway_id === null ? null : firstDeviceOf(gateway_id);
  const holder = public_key === null ? ofGateway : deviceHolder(public_key);
  const isSealed = (sealed: string | undefined) => (sealed ?? '').length > SEALED_EMPTY_CHARS;
  const stored = {
    address: holdsAddressSecret(address),
    password: isSealed(row.password_sealed),
    push_key: isSealed(row.push_key_sealed),
    application: driver === 'http' && (application ?? '') !== '',
  };
  return Object.fromEntries(Object.entries(stored).flatMap(([name, isStored]) => (isStored ? [[name, holder]] : [])));
}
