import { z } from '@hono/zod-openapi';
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import { READ_DIRECTIONS, VEHICLE_TYPES } from '../../../shared/events/event-schemas.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { ALL_ROLES, type Caller } from '../../kernel/auth/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import { type Row, type Tx, updateRow } from '../../kernel/store/entry.js';
import {
  type Endpoint,
  oneLine,
  plateValue,
  protectedEndpoint,
  readEndpoints,
  type ResourceDeps,
  visibleRow,
} from '../../rest/entry.js';
import { nameOfCaller } from '../../site/entry.js';
import { explanationSchema, representExplanation } from './explanation-payload.js';
import { handledValue } from './handled-payload.js';
import { markHandled, saveIgnored, settleCorrectedExit } from './handled-queries.js';
import { PLATE_READING_LIST } from './plate-reading-list.js';
import type { PlateCorrected } from './plate-correction.js';
import { plateReadingSchema, representPlateReading } from './plate-reading-rest-payload.js';
import { findExplainedReading, findPlateReadingDetails } from './reading-detail-queries.js';

const TAG = 'Plate readings';
const vehicleText = oneLine(z.string().max(200)).nullable();

const correctionSchema = z
  .strictObject({
    plate: plateValue,
    country_code: oneLine(z.string().max(10)).nullable(),
    direction: z.enum(READ_DIRECTIONS),
    type: z.enum(VEHICLE_TYPES).nullable(),
    make: vehicleText,
    color: vehicleText,
    model: vehicleText,
    handled: handledValue,
  })
  .partial();

/** /v2/plate-readings: shows readings and why each was decided so, corrects what a camera read, and passes refused vehicles over. */
export function plateReadingEndpoints(
  deps: Pick<ResourceDeps, 'store' | 'clock' | 'configChanged'> & { plateCorrected: PlateCorrected },
): Endpoint[] {
  const { store, clock, configChanged } = deps;
  return [
    ...readEndpoints(
      { store, clock },
      {
        path: '/v2/plate-readings',
        one: 'plate reading',
        many: 'plate readings',
        tag: TAG,
        list: PLATE_READING_LIST,
        item: plateReadingSchema,
        items: (rows) => rows.map(representPlateReading),
      },
    ),
    protectedEndpoint({
      method: 'patch',
      path: '/v2/plate-readings/{id}',
      summary: 'Correct a plate reading, or pass its vehicle over',
      tag: TAG,
      roles: ALL_ROLES,
      body: correctionSchema,
      auditValues: correctionSchema.keyof().options,
      answer: plateReadingSchema,
      find: ({ caller, ids }) => visibleRow(store.reader, PLATE_READING_LIST, { caller, id: ids.id }),
      async handle({ caller, body: { handled, ...body }, found: { id, lot_id }, change }) {
        const now = clock.now();
        const corrected = await change(async (tx) => {
          const before = await findPlateReadingDetails(tx, id);
          if (before === null) return null;
          if (Object.keys(body).length > 0) {
            noteAudit(tx, { details: { previous_plate: before.reading.plate } });
            const replaced = await replacePlate(tx, { reading: before.reading, plate: body.plate, now });
            const correction = { corrected_by: caller.user_id, corrected_at: now, updated_at: now };
            await updateRow(tx, 'plate_readings', { id, set: { ...body, ...replaced, ...correction } });
          }
          const isCorrected = body.plate !== undefined;
          if (await saveHandled(tx, { id, handled, isCorrected, caller, now })) markHandled(tx, lot_id, configChanged);
          return findPlateReadingDetails(tx, id);
        });
        if (corrected === null) throw new ApiError(NOT_FOUND);
        return representPlateReading(corrected);
      },
    }),
    explanationEndpoint(deps),
  ];

  /** @returns the columns that follow from the plate */
  async function replacePlate(
    tx: Tx,
    { reading, plate, now }: { reading: Row<'plate_readings'>; plate: string | undefined; now: number },
  ) {
    if (plate === undefined || plate === reading.plate) return {};
    const plate_normalised = normalisePlate(plate);
    await deps.plateCorrected(tx, { reading, plate_normalised, now });
    return { plate_normalised, original_plate: reading.original_plate ?? reading.plate };
  }
}

/**
 * A correction settles a refused exit unless the request says itself how the vehicle was handled.
 * @returns whether the gateways have something to hear
 */
async function saveHandled(
  tx: Tx,
  of: { id: number; handled: 'ignored' | null | undefined; isCorrected: boolean; caller: Caller; now: number },
): Promise<boolean> {
  const { id, handled, isCorrected, caller, now } = of;
  if (handled !== undefined) {
    const ignored = handled === null ? null : { by: await nameOfCaller(tx, caller) };
    await saveIgnored(tx, { table: 'plate_readings', id }, { ignored, now });
    return true;
  }
  return isCorrected && settleCorrectedExit(tx, { id }, { by: await nameOfCaller(tx, caller), at: now });
}

function explanationEndpoint({ store }: Pick<ResourceDeps, 'store'>): Endpoint {
  return protectedEndpoint({
    method: 'get',
    path: '/v2/plate-readings/{id}/explanation',
    summary: 'Why a vehicle was let through or not',
    tag: TAG,
    roles: ALL_ROLES,
    answer: explanationSchema,
    find: ({ caller, ids }) => visibleRow(store.reader, PLATE_READING_LIST, { caller, id: ids.id }),
    async handle({ found: { id } }) {
      const reading = await findExplainedReading(store.reader, id);
      if (reading === null) throw new ApiError(NOT_FOUND);
      return representExplanation(reading);
    },
  });
}
