/** Reads and writes how accounts show themselves: to guests, in mails, and in the console. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../kernel/store/entry.js';

/** The name by which guests know an account. @param table of the accounts, in the query */
export const shownNameOf = (table: string): RawBuilder<string> =>
  sql<string>`coalesce(nullif(${sql.ref(`${table}.display_name`)}, ''), ${sql.ref(`${table}.name`)})`;

export interface AccountFace {
  name: string;
  /** `#rrggbb`; null: none was chosen. */
  colour: string | null;
  /** The name of its file; null: there is none. */
  logo: string | null;
  /** Whom guests ask; each may be empty. */
  contact: { name: string; email: string; phone: string };
}

/** Finds the faces of accounts by their ids. */
export async function facesOf(db: Db, accountIds: readonly number[]): Promise<ReadonlyMap<number, AccountFace>> {
  if (accountIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('accounts')
    .select(['id', 'colour', 'logo', 'contact_name', 'contact_email', 'contact_phone'])
    .select(shownNameOf('accounts').as('name'))
    .where('id', 'in', accountIds)
    .execute();
  return new Map(
    rows.map(({ id, contact_name, contact_email, contact_phone, ...face }) => [
      id,
      { ...face, contact: { name: contact_name, email: contact_email, phone: contact_phone } },
    ]),
  );
}

/** Finds the logos of accounts: PNGs, by the ids of the accounts. */
export async function logosOf(db: Db, accountIds: readonly number[]): Promise<ReadonlyMap<number, Buffer>> {
  if (accountIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('account_logos')
    .select(['account_id', 'png'])
    .where('account_id', 'in', accountIds)
    .execute();
  return new Map(rows.map(({ account_id, png }) => [account_id, Buffer.from(png, 'base64')]));
}

/** Finds a logo by the name of its file. */
export async function findLogo(db: Db, name: string): Promise<Buffer | null> {
  const row = await db.selectFrom('account_logos').select('png').where('name', '=', name).executeTakeFirst();
  return row === undefined ? null : Buffer.from(row.png, 'base64');
}

/** @param logo null: the account has none from now on */
export async function replaceLogo(
  tx: Db,
  { account_id, logo, now }: { account_id: number; logo: { name: string; png: Buffer } | null; now: number },
): Promise<void> {
  await tx.deleteFrom('account_logos').where('account_id', '=', account_id).execute();
  if (logo !== null) {
    const row = { account_id, name: logo.name, png: logo.png.toString('base64') };
    await tx.insertInto('account_logos').values(row).execute();
  }
  const set = { logo: logo?.name ?? null, updated_at: now };
  await tx.updateTable('accounts').set(set).where('id', '=', account_id).execute();
}
