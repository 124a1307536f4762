/** Sessions as REST shows them. */
import { z } from '@hono/zod-openapi';
import { SESSION_SOURCES } from '../../../shared/events/event-schemas.js';
import { majorUnits } from '../../../shared/currencies.js';
import { datetime, id, orNull } from '../../rest/field/answer-schemas.js';
import { isoTime } from '../../rest/field/iso-time-codec.js';
import { plateReadingSchema, representPlateReading } from '../reading/plate-reading-rest-payload.js';
import type { PlateReadingDetails } from '../reading/reading-detail-queries.js';
import { imageLinks } from '../image/reading-images-payload.js';
import type { AmountDue } from './amount-due.js';
import type { SessionPlate, ShownSession } from './session-detail-queries.js';
import { durationSeconds } from './session-event-payload.js';

/** The facts that all representations in one answer share. */
export interface AnswerContext {
  /** Wall milliseconds: duration and amount due of an open session count until then. */
  now: number;
  amountDue: AmountDue;
}

export function representSession(details: ShownSession, { now, amountDue }: AnswerContext): Session {
  const { session } = details;
  const { ended_at, exit_type, exit_source_id, currency } = session;
  return {
    id: session.id,
    public_id: session.public_id,
    ended_at: ended_at === null ? null : isoTime(ended_at),
    duration: durationSeconds(session, now),
    discount_time: session.discount_time,
    amount_paid: majorUnits(session.amount_paid_minor, currency),
    possibly_exited: session.possibly_exited === null ? null : session.possibly_exited === 1,
    exit_allowed: ended_at === null,
    entry_license_plate: sessionPlate(details.entry),
    created_at: isoTime(session.created_at),
    entry: { id: session.entry_source_id, type: session.entry_type },
    exit: exit_type === null || exit_source_id === null ? null : { id: exit_source_id, type: exit_type },
    zone_id: session.zone_id,
    lot_id: session.lot_id,
    tariff_id: session.tariff_id,
    currency,
    amount_due: majorUnits(amountDue(details, now), currency),
    exit_license_plate: sessionPlate(details.exit),
    updated_at: isoTime(session.updated_at),
  };
}

export function representSessionWithReadings(
  details: ShownSession,
  readings: readonly PlateReadingDetails[],
  context: AnswerContext,
): SessionWithReadings {
  return { ...representSession(details, context), plate_readings: readings.map(representPlateReading) };
}

function sessionPlate(plate: SessionPlate | null): Session['entry_license_plate'] {
  return plate === null ? null : { id: plate.reading_id, plate: plate.plate, ...imageLinks(plate.images) };
}

const sessionPlateSchema = z
  .strictObject({ id, plate: z.string(), image_url: z.string().nullable(), cropped_image_url: z.string().nullable() })
  .openapi('SessionPlate');

const sessionSourceSchema = z
  .strictObject({
    id: id.describe('The id of that camera, account, user, terminal or product.'),
    type: z.enum(SESSION_SOURCES).describe('Who or what did it.'),
  })
  .openapi('SessionSource');

/** A session as lists and changes show it. */
export const sessionSchema = z
  .strictObject({
    id,
    public_id: z.string(),
    ended_at: datetime.nullable(),
    duration: z.number().int(),
    discount_time: z.number().int().nullable(),
    amount_paid: z.number(),
    possibly_exited: z.boolean().nullable(),
    exit_allowed: z.boolean(),
    entry_license_plate: orNull(sessionPlateSchema),
    created_at: datetime.describe('When the session began: the time of the entry.'),
    entry: sessionSourceSchema,
    exit: orNull(sessionSourceSchema),
    zone_id: id,
    lot_id: id,
    tariff_id: id.nullable(),
    currency: z.string().nullable(),
    amount_due: z.number().describe('What has still to be paid now, in the major unit of the currency, tax included.'),
    exit_license_plate: orNull(sessionPlateSchema).describe('The plate at the exit; null when it is not known.'),
    updated_at: datetime,
  })
  .openapi('Session');

export type Session = z.infer<typeof sessionSchema>;

/** A session with its plate readings, as GET by id shows it. */
export const sessionWithReadingsSchema = z
  .strictObject({
    ...sessionSchema.shape,
    plate_readings: z.array(plateReadingSchema).describe('The readings of the session, the oldest first.'),
  })
  .openapi('SessionWithReadings');

export type SessionWithReadings = z.infer<typeof sessionWithReadingsSchema>;
