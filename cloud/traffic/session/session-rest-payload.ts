/** Sessions as REST shows them. */
import { z } from '@hono/zod-openapi';
import { SESSION_SOURCES } from '../../../shared/events/event-schemas.js';
import { majorUnits } from '../../../shared/currencies.js';
import { datetime, id, isoOrNull, orNull } from '../../rest/field/answer-schemas.js';
import { isoTime } from '../../rest/field/iso-time-codec.js';
import { plateReadingSchema, representPlateReading } from '../reading/plate-reading-rest-payload.js';
import type { PlateReadingDetails } from '../reading/reading-detail-queries.js';
import { imageLinks } from '../image/reading-images-payload.js';
import type { PriceLine } from '../tariff/price-lines.js';
import { MINUTE_MS } from '../../../shared/durations.js';
import type { BillOf } from './session-bill.js';
import type { SessionPlate, ShownSession } from './session-detail-queries.js';
import { durationSeconds } from './session-event-payload.js';

/** The facts that all representations in one answer share. */
export interface AnswerContext {
  /** Wall milliseconds: duration and amount due of an open session count until then. */
  now: number;
  billOf: BillOf;
}

export function representSession(details: ShownSession, { now, billOf }: AnswerContext): Session {
  const { session, version } = details;
  const bill = billOf(details, now);
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
    amount_due: majorUnits(bill.due_minor, currency),
    exit_license_plate: sessionPlate(details.exit),
    updated_at: isoTime(session.updated_at),
    overpaid: majorUnits(bill.overpaid_minor, currency),
    price_lines: bill.lines.map((line) => representPriceLine(line, currency)),
    tariff_name: version?.name ?? null,
    vat: version?.vat ?? null,
    discount_reason: session.discount_reason,
    discount_granted_by: session.discount_granted_by,
    discount_granted_at: isoOrNull(session.discount_granted_at),
  };
}

export function representSessionWithReadings(
  details: ShownSession,
  readings: readonly PlateReadingDetails[],
  context: AnswerContext,
): SessionWithReadings {
  return { ...representSession(details, context), plate_readings: readings.map(representPlateReading) };
}

function representPriceLine(line: PriceLine, currency: string | null): Session['price_lines'][number] {
  const { from_ms, to_ms, amount_minor, text } = line;
  return {
    from: isoTime(from_ms),
    to: isoTime(to_ms),
    minutes: Math.ceil((to_ms - from_ms) / MINUTE_MS),
    amount: majorUnits(amount_minor, currency),
    text,
  };
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

const priceLineSchema = z
  .strictObject({
    from: datetime.describe(
      'When the line begins: the first at the beginning of the stay, each other one where the one before it ends.',
    ),
    to: datetime.describe('When the line ends.'),
    minutes: z.number().int().describe('Its length in started minutes.'),
    amount: z.number().describe('In the major unit of the currency, tax included; 0 for free minutes.'),
    text: z.string().describe('What it is for, in words for people.'),
  })
  .openapi('PriceLine');

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
    overpaid: z.number().describe('What was paid beyond what the stay costs now; 0 when it was not.'),
    price_lines: z
      .array(priceLineSchema)
      .describe('What the stay costs now, line by line: their sum is `amount_due` + `amount_paid` - `overpaid`.'),
    tariff_name: z
      .string()
      .nullable()
      .describe('What the tariff is called, or was called last; null when none applies.'),
    vat: z.string().nullable().describe('The tax in the price in percent, as the tariff had it; empty for none.'),
    discount_reason: z.string().nullable().describe('Why `discount_time` was granted.'),
    discount_granted_by: z.string().nullable().describe('The name of who granted `discount_time`.'),
    discount_granted_at: orNull(datetime).describe('When `discount_time` was granted.'),
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
