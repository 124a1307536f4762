import { z } from '@hono/zod-openapi';
import { ApiError, NOT_FOUND, VALIDATION } from '../../../shared/errors.js';
import { READ_DIRECTIONS, VEHICLE_TYPES } from '../../../shared/events/event-schemas.js';
import { normalisePlate, writtenPlate } from '../../../shared/plate/normalise-plate.js';
import { ALL_ROLES, type Caller } from '../../kernel/auth/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import { type Row, type Tx, updateRow } from '../../kernel/store/entry.js';
import {
  type Endpoint,
  type ExportEndpoint,
  oneLine,
  plateValue,
  protectedEndpoint,
  readEndpoints,
  type ResourceDeps,
  visibleRow,
} from '../../rest/entry.js';
import { nameOfCaller } from '../../site/entry.js';
import { isRefusedExit } from './refused-exit-queries.js';
import { explanationSchema, representExplanation } from './explanation-payload.js';
import { handledValue } from './handled-payload.js';
import { markHandled, saveIgnored, settleCorrectedExit } from './handled-queries.js';
import { readingExportEndpoint } from './plate-reading-export.js';
import { PLATE_READING_LIST } from './plate-reading-list.js';
import type { PlateCorrections } from './plate-correction.js';
import { correctedReadingSchema, plateReadingSchema, representPlateReading } from './plate-reading-rest-payload.js';
import { findExplainedReading, findPlateReadingDetails, type PlateReadingDetails } from './reading-detail-queries.js';

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
    end_session: z
      .boolean()
      .describe(
        'true: end the session that the corrected exit fits, as of the time of the reading. 422 where none or several fit.',
      ),
  })
  .partial();

/** /v2/plate-readings: shows readings and why each was decided so, corrects what a camera read, and passes refused vehicles over. */
export function plateReadingEndpoints(
  deps: Pick<ResourceDeps, 'store' | 'clock' | 'configChanged'> & {
    corrections: PlateCorrections;
    exported: ExportEndpoint;
  },
): Endpoint[] {
  const { store, clock } = deps;
  return [
    // It comes before the reading by id.
    readingExportEndpoint(deps),
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
    correctionEndpoint(deps),
    explanationEndpoint(deps),
  ];
}

function correctionEndpoint(deps: Parameters<typeof plateReadingEndpoints>[0]): Endpoint {
  const { store, clock, configChanged } = deps;
  return protectedEndpoint({
    method: 'patch',
    path: '/v2/plate-readings/{id}',
    summary: 'Correct a plate reading, or pass its vehicle over',
    tag: TAG,
    roles: ALL_ROLES,
    body: correctionSchema,
    auditValues: correctionSchema.keyof().options,
    answer: correctedReadingSchema,
    // The version of the reading is the one that GET shows.
    shownOnce: ['fits_session_id'],
    find: ({ caller, ids }) => visibleRow(store.reader, PLATE_READING_LIST, { caller, id: ids.id }),
    handle: ({ caller, body, found: { id, lot_id }, change }) =>
      change((tx) => correct(tx, { id, lot_id, caller, body, now: clock.now() })),
  });

  async function correct(tx: Tx, { id, lot_id, body, caller, now }: Correction) {
    const { end_session, handled, ...values } = body;
    const before = await detailsOf(tx, id);
    if (Object.keys(values).length > 0) {
      noteAudit(tx, { details: { previous_plate: before.reading.plate } });
      const replaced = await replacePlate(tx, { reading: before.reading, plate: values.plate, now });
      const correction = { corrected_by: caller.user_id, corrected_at: now, updated_at: now };
      await updateRow(tx, 'plate_readings', { id, set: { ...values, ...replaced, ...correction } });
    }
    const { handled_how } = before.reading;
    if (values.plate !== undefined && end_session !== true && handled_how === 'let_in')
      await deps.corrections.endLetOut(tx, { id, now });
    const exit = (await detailsOf(tx, id)).reading;
    const left = isRefusedExit(exit) ? await deps.corrections.sessionsLeft(tx, exit) : [];
    const [session_id, ...others] = left;
    if (end_session === true) {
      if (session_id === undefined || others.length > 0) throw noSessionToEnd(left.length);
      noteAudit(tx, { details: { ended_session: session_id } });
      await deps.corrections.endSession(tx, { session_id, exit, caller, now });
    }
    const isCorrected = values.plate !== undefined;
    if (await saveHandled(tx, { id, handled, isCorrected, caller, now })) markHandled(tx, lot_id, configChanged);
    const fits_session_id = end_session === true || others.length > 0 ? null : (session_id ?? null);
    return { ...representPlateReading(await detailsOf(tx, id)), fits_session_id };
  }

  /** @returns the columns that follow from the plate, which is kept as those of cameras are */
  async function replacePlate(
    tx: Tx,
    { reading, plate, now }: { reading: Row<'plate_readings'>; plate: string | undefined; now: number },
  ) {
    const written = plate === undefined ? null : writtenPlate(plate);
    if (written === null) return {};
    if (written === reading.plate) return { plate: written };
    const plate_normalised = normalisePlate(written);
    await deps.corrections.corrected(tx, { reading, plate_normalised, now });
    return { plate: written, plate_normalised, original_plate: reading.original_plate ?? reading.plate };
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

interface Correction {
  id: number;
  lot_id: number;
  caller: Caller;
  body: z.output<typeof correctionSchema>;
  /** Wall milliseconds. */
  now: number;
}

async function detailsOf(tx: Tx, id: number): Promise<PlateReadingDetails> {
  const details = await findPlateReadingDetails(tx, id);
  if (details === null) throw new ApiError(NOT_FOUND);
  return details;
}

const noSessionToEnd = (count: number) =>
  new ApiError(VALIDATION, {
    field: 'end_session',
    message:
      count === 0
        ? 'No open session fits: it has to be of this plate and lot, and to have begun before a refused exit'
        : `${count} open sessions fit: close the right one by itself`,
  });

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
