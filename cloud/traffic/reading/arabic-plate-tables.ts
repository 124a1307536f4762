/** Brings the plates of every table into the form in which they are compared since the letters of the Arabic script have one form. */
import { type RawBuilder, sql } from 'kysely';
import { ARABIC_FORMS } from '../../../shared/plate/arabic-letters.js';
import type { Schema } from '../../kernel/store/entry.js';

/** The tables with `plate_normalised`, and the columns within which it is unique. */
const PLATE_TABLES: Readonly<Record<string, readonly string[]>> = {
  plate_readings: [],
  sessions: [],
  members: [],
  bound_licenses: [],
  key_logs: [],
  alert_plates: ['license_plate_alert_id'],
  alert_mails: ['account_id', 'receiver_email'],
};

/** Where two rows become the same plate, the first one counts, and the other stays as it is: no reading will be compared as that. */
export async function foldArabicPlates(db: Schema): Promise<void> {
  for (const [table, within] of Object.entries(PLATE_TABLES)) {
    const folded = foldedOf(sql.ref(`${table}.plate_normalised`));
    const isSame = sql.join(
      within.map((column) => sql`other.${sql.ref(column)} = ${sql.ref(`${table}.${column}`)}`),
      sql` and `,
    );
    const isAlone =
      within.length === 0
        ? sql``
        : sql`and not exists (
            select 1 from ${sql.table(table)} as other
            where ${isSame} and ${foldedOf(sql.ref('other.plate_normalised'))} = ${folded}
              and (other.plate_normalised = ${folded} or other.id < ${sql.ref(`${table}.id`)})
          )`;
    await sql`
      update ${sql.table(table)} set plate_normalised = ${folded}
      where octet_length(plate_normalised) > length(plate_normalised) and plate_normalised <> ${folded} ${isAlone}
    `.execute(db);
  }
}

/** What `foldArabic` does. */
function foldedOf(plate: RawBuilder<unknown>): RawBuilder<unknown> {
  const forms = ARABIC_FORMS.flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const));
  return forms.reduce((text, [other, letter]) => sql`replace(${text}, ${sql.lit(other)}, ${sql.lit(letter)})`, plate);
}
