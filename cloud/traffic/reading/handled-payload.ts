/** Who dealt with a vehicle that waited, as REST shows it and as a person says it. */
import { z } from '@hono/zod-openapi';
import { datetime, isoOrNull } from '../../rest/field/answer-schemas.js';

/** `settled`, of readings alone: the stay of a vehicle that was refused at an exit was ended by hand, or its plate corrected. */
export const HANDLED_WAYS = ['let_in', 'ignored', 'settled'] as const;

/** As columns: all null while nobody dealt with the vehicle. `handled_by` is a name. */
export interface HandledColumns {
  handled_at: number | null;
  handled_by: string | null;
  handled_how: (typeof HANDLED_WAYS)[number] | null;
}

/** Of a vehicle that has just come. */
export const NOT_HANDLED = { handled_at: null, handled_by: null, handled_how: null } satisfies HandledColumns;

export const handledFields = {
  handled_at: datetime.nullable().describe('When somebody dealt with the vehicle; null while it waits for a person.'),
  handled_by: z
    .string()
    .nullable()
    .describe('The name of who dealt with it: a person, an API token or a gateway; null when nobody did.'),
  handled_how: z
    .enum(HANDLED_WAYS)
    .nullable()
    .describe(
      'It was let through (`let_in`), passed over (`ignored`), or, of a reading at an exit, its stay was ended by hand or its plate corrected (`settled`); null when nobody dealt with it.',
    ),
};

export const handledValue = z
  .enum(['ignored'], 'Must be ignored, or null')
  .nullable()
  .describe('Passes the vehicle over; null has it wait again. One that was let in stays so: it is gone.');

export const representHandled = ({ handled_at, handled_by, handled_how }: HandledColumns) => ({
  handled_at: isoOrNull(handled_at),
  handled_by,
  handled_how,
});
