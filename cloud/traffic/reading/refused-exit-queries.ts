/** The one rule for an exit that opened nothing by itself, because it was refused or told late, and whose stay is not known. */
import type { ExpressionBuilder } from 'kysely';
import type { Database, Row } from '../../kernel/store/entry.js';

type Decided = Pick<Row<'plate_readings'>, 'direction' | 'access_decision' | 'session_id'>;

export const openedNothing = ({ direction, access_decision, session_id }: Decided): boolean =>
  direction === 'out' && access_decision !== 'triggered' && session_id === null;

/** The same, asked of the database. */
export const isExitWithoutStay = (eb: ExpressionBuilder<Database, 'plate_readings'>) =>
  eb.and([
    eb('direction', '=', 'out'),
    eb.or([eb('access_decision', 'is', null), eb('access_decision', '!=', 'triggered')]),
    eb('session_id', 'is', null),
  ]);

/** Whether it was refused. */
export const isRefusedExit = (reading: Decided): boolean =>
  openedNothing(reading) && reading.access_decision === 'denied';
