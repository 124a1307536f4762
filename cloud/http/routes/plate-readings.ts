import { z } from '@hono/zod-openapi';
import { ApiError } from '../../../shared/errors.js';
import { READ_DIRECTIONS, VEHICLE_TYPES } from '../../../shared/events/event-schemas.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { ALL_ROLES } from '../../auth/caller.js';
import { noteAudit } from '../../store/audit-scope.js';
import { visibleRow } from '../../store/lists/list-table.js';
import { PLATE_READING_LIST } from '../../store/lists/reading-lists.js';
import { updateRow } from '../../store/queries/rows.js';
import { findPlateReadingDetails } from '../../store/queries/single-records.js';
import { type Endpoint, protectedEndpoint } from '../endpoint.js';
import { plateField } from '../fields.js';
import { plateReadingRecord } from '../records.js';
import { readEndpoints, type ResourceDeps } from '../resource-endpoints.js';
import { plateReadingSchema } from '../resources.js';

const TAG = 'Plate readings';
const vehicleText = z.string().max(200).nullable();

const correctionSchema = z
  .strictObject({
    plate: plateField,
    country_code: z.string().max(10).nullable(),
    direction: z.enum(READ_DIRECTIONS),
    type: z.enum(VEHICLE_TYPES).nullable(),
    make: vehicleText,
    color: vehicleText,
    model: vehicleText,
  })
  .partial();

/** /v2/plate-readings: reading, and correcting what a camera read. */
export function plateReadingEndpoints({ store, clock }: Pick<ResourceDeps, 'store' | 'clock'>): Endpoint[] {
  return [
    ...readEndpoints(
      { store, clock },
      {
        path: '/v2/plate-readings',
        one: 'a plate reading',
        many: 'plate readings',
        tag: TAG,
        table: PLATE_READING_LIST,
        item: plateReadingSchema,
        items: (rows) => rows.map(plateReadingRecord),
      },
    ),
    protectedEndpoint({
      method: 'patch',
      path: '/v2/plate-readings/{id}',
      summary: 'Correct a plate reading; sends no event',
      tag: TAG,
      roles: ALL_ROLES,
      body: correctionSchema,
      auditValues: correctionSchema.keyof().options,
      answer: plateReadingSchema,
      find: ({ caller, ids }) => visibleRow(store.reader, PLATE_READING_LIST, { caller, id: ids.id }),
      async handle({ caller, body, found: { id } }) {
        const now = clock.now();
        const corrected = await store.change(async (tx) => {
          const before = await findPlateReadingDetails(tx, id);
          if (before === null || Object.keys(body).length === 0) return before;
          const { plate, original_plate } = before.reading;
          noteAudit({ details: { previous_plate: plate } });
          const replaced =
            body.plate === undefined || body.plate === plate
              ? {}
              : { plate_normalised: normalisePlate(body.plate), original_plate: original_plate ?? plate };
          const correction = { corrected_by: caller.user_id, corrected_at: now, updated_at: now };
          await updateRow(tx, 'plate_readings', { id, set: { ...body, ...replaced, ...correction } });
          return findPlateReadingDetails(tx, id);
        });
        if (corrected === null) throw new ApiError(6);
        return plateReadingRecord(corrected);
      },
    }),
  ];
}
