/** What a gateway found when it looked at itself, as REST shows it. */
import { z } from '@hono/zod-openapi';
import { FINDING_LEVELS } from '../../../shared/doctor/findings.js';
import type { DoctorReport } from '../../../shared/doctor/report.js';
import { datetime, iso } from '../../rest/http/answer-schemas.js';

export const gatewayDoctorSchema = z
  .strictObject({
    /** When the report came. */
    at: datetime,
    report: z.strictObject({
      version: z.string(),
      took_ms: z.number().int(),
      findings: z.array(
        z.strictObject({
          id: z.string(),
          level: z.enum(FINDING_LEVELS),
          about: z.string().nullable(),
          facts: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
        }),
      ),
    }),
  })
  .openapi('GatewayDoctor');

export type GatewayDoctor = z.infer<typeof gatewayDoctorSchema>;

export function representGatewayDoctor({
  reported_at,
  report: { version, took_ms, findings },
}: {
  reported_at: number;
  report: DoctorReport;
}): GatewayDoctor {
  return { at: iso(reported_at), report: { version, took_ms, findings } };
}
