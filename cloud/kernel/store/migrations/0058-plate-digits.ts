/** Plates are compared with the digits of every script as 0 to 9: those that were stored before are to be found by it, too. */
import { sql } from 'kysely';
import { normalisePlate } from '../../../../shared/plate/normalise-plate.js';
import type { Schema } from './create-table.js';

/** Where they stand, with what a plate is unique in. */
const TABLES: readonly (readonly [table: string, among?: readonly string[]])[] = [
  ['members'],
  ['bound_licenses'],
  ['key_logs'],
  ['plate_readings'],
  ['sessions'],
  ['alert_plates', ['license_plate_alert_id']],
  ['alert_mails', ['account_id', 'receiver_email']],
];
const ROWS_AT_ONCE = 1_000;

export async function up(db: Schema): Promise<void> {
  for (const [table, among] of TABLES) {
    for (let last = 0; ; ) {
      // A plate of more bytes than characters has others than A to Z and 0 to 9.
      const { rows } = await sql<{ id: number; plate: string }>`
        select id, plate_normalised as plate from ${sql.id(table)}
        where id > ${last} and octet_length(plate_normalised) > length(plate_normalised)
        order by id limit ${ROWS_AT_ONCE}
      `.execute(db);
      for (const { id, plate } of rows) {
        const compared = normalisePlate(plate);
        if (compared !== plate) await rename(db, { table, among, id, compared });
        last = id;
      }
      if (rows.length < ROWS_AT_ONCE) break;
    }
  }
}

async function rename(
  db: Schema,
  row: { table: string; among: readonly string[] | undefined; id: number; compared: string },
): Promise<void> {
  const { table, among, id, compared } = row;
  const own = sql.id(table);
  if (among !== undefined) {
    // The same plate stands there in Latin digits already.
    const same = among.map((column) => sql`other.${sql.id(column)} = ${own}.${sql.id(column)}`);
    await sql`
      delete from ${own} where id = ${id} and exists (
        select 1 from ${own} as other where other.plate_normalised = ${compared} and ${sql.join(same, sql` and `)}
      )
    `.execute(db);
  }
  await sql`update ${own} set plate_normalised = ${compared} where id = ${id}`.execute(db);
}
