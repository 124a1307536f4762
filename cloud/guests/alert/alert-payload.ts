/** The representation of licence plate alerts in the REST interface. */
import { z } from '@hono/zod-openapi';
import { id, times, timesOf } from '../../rest/field/answer-schemas.js';
import type { AlertRow } from './alert-queries.js';

/** `zone` null: all zones of the account. */
export const licensePlateAlertSchema = z
  .strictObject({
    id,
    name: z.string(),
    ...times,
    plates: z.array(z.string()).describe('The licence plates.'),
    min_minutes_between_emails: z.number().int().describe('The least minutes between two emails about the same plate.'),
    zone: z
      .strictObject({ id, name: z.string() })
      .nullable()
      .describe('The zone whose cameras count; null for those of all zones.'),
    receivers: z
      .array(z.strictObject({ id, name: z.string(), receiver_email: z.string() }))
      .describe('Those who are notified.'),
  })
  .openapi('LicensePlateAlert');

export function representLicensePlateAlert(row: AlertRow): z.infer<typeof licensePlateAlertSchema> {
  const { name, plates, min_minutes_between_emails, zone, receivers } = row;
  return { id: row.id, name, ...timesOf(row), plates, min_minutes_between_emails, zone, receivers };
}
