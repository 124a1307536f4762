/** What a gateway found when it looked at itself, as REST shows it. */
import { z } from '@hono/zod-openapi';
import { FINDING_LEVELS } from '../../../shared/doctor/findings.js';
import type { DoctorReport } from '../../../shared/doctor/report.js';
import { datetime, iso } from '../../rest/field/answer-schemas.js';

export const gatewayDoctorSchema = z
  .strictObject({
    at: datetime.describe('When the report came.'),
    report: z
      .strictObject({
        version: z.string(),
        took_ms: z.number().int().describe('How long the gateway looked, in milliseconds.'),
        findings: z
          .array(
            z.strictObject({
              id: z.string(),
              level: z.enum(FINDING_LEVELS).describe('`ok`, `warning`, or `failure`: something does not work.'),
              about: z
                .string()
                .nullable()
                .describe('The name of the one of several things that it is about; null: there is one alone.'),
              facts: z
                .record(z.string(), z.union([z.string(), z.number(), z.null()]))
                .describe('What was found, by name: numbers in the unit that the name ends with, words, names.'),
              follows: z
                .strictObject({
                  id: z.string().describe('Its id.'),
                  about: z.string().nullable().describe('What it is about.'),
                })
                .nullable()
                .describe(
                  'The finding of this report that it follows from, and ends with; null: it stands for itself.',
                ),
            }),
          )
          .describe('What it found, each thing by an id that stays (guide "What doctor says").'),
      })
      .describe('What the gateway found.'),
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
  const shown = findings.map(({ follows = null, ...finding }) => ({ ...finding, follows }));
  return { at: iso(reported_at), report: { version, took_ms, findings: shown } };
}
