/** GET /v2/sessions and everything that takes its filters. */
import { sql } from 'kysely';
import { SESSION_SOURCES } from '../../../shared/events/event-schemas.js';
import { currencyDigitsExceptions } from '../../../shared/money.js';
import { sessionsByIds } from '../queries/session-details.js';
import { caseField, choiceField, codeField, dateFields, integerField, plateField } from './list-fields.js';
import { listTable } from './list-table.js';

export const SESSION_LIST = listTable({
  from: (db) => db.selectFrom('sessions'),
  id: 'sessions.id',
  scope: { account_id: 'sessions.account_id', lot_id: 'sessions.lot_id' },
  filters: {
    account_id: integerField('sessions.account_id'),
    lot_id: integerField('sessions.lot_id'),
    zone_id: integerField('sessions.zone_id'),
    public_id: codeField('sessions.public_id'),
    plate: plateField('sessions.plate_normalised'),
    status: caseField({ open: sql`sessions.ended_at is null`, ended: sql`sessions.ended_at is not null` }),
    entry_type: choiceField('sessions.entry_type', SESSION_SOURCES),
    exit_type: choiceField('sessions.exit_type', SESSION_SOURCES),
    ...dateFields('sessions.created_at'),
  },
  sorts: {
    id: 'sessions.id',
    created_at: 'sessions.created_at',
    ended_at: 'sessions.ended_at',
    // As it is shown: ties are of whole seconds.
    duration: (now) => sql`(coalesce(sessions.ended_at, cast(${now} as bigint)) - sessions.created_at) / 1000`,
    amount_paid: () => sql`sessions.amount_paid_minor / ${minorUnitsOfSession()}`,
  },
  rows: sessionsByIds,
});

/** How many minor units the major unit of a session's currency has. */
function minorUnitsOfSession() {
  const cases = currencyDigitsExceptions().map(
    ({ currency, digits }) => sql`when ${sql.lit(currency)} then ${sql.lit(10 ** digits)}`,
  );
  const factor = sql`case tariffs.currency ${sql.join(cases, sql` `)} else 100 end`;
  return sql`coalesce((select 1.0 * ${factor} from tariffs where tariffs.id = sessions.tariff_id), 100.0)`;
}
