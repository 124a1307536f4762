/** Expressions by which the list of sessions filters and sorts, besides its columns. */
import { type SqlBool, sql } from 'kysely';
import { currencyDigitsExceptions } from '../../kernel/entry.js';

export const SESSION_IS = {
  open: sql<SqlBool>`sessions.ended_at is null`,
  ended: sql<SqlBool>`sessions.ended_at is not null`,
};

/** The duration in whole seconds, as it is shown. @param now wall milliseconds: an open session lasts until then */
export const durationUntil = (now: number) =>
  sql`(coalesce(sessions.ended_at, cast(${now} as bigint)) - sessions.created_at) / 1000`;

/** The paid amount in the major unit of the session's currency. */
export function amountPaid() {
  const minorUnits = currencyDigitsExceptions().map(
    ({ currency, digits }) => sql`when ${sql.lit(currency)} then ${sql.lit(10 ** digits)}`,
  );
  return sql`sessions.amount_paid_minor / (1.0 * case sessions.currency ${sql.join(minorUnits, sql` `)} else 100 end)`;
}
