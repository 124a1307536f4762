/** GET /v2/lpr-cameras/{id}/health: what a camera read, day by day, so that a dirty lens shows. */
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { type Endpoint, protectedEndpoint, visibleRow } from '../../rest/entry.js';
import { DAY_MS } from '../../../shared/durations.js';
import { CAMERA_DAYS_KEPT, dayIn, daysOfCamera, NO_COUNTS } from './camera-day-queries.js';
import { CAMERA_LIST } from './camera-resource.js';

const DAYS_DEFAULT = 30;

const count = z.number().int();

const healthQuery = z.object({
  days: z
    .string()
    .regex(/^\d{1,3}$/, `Must be a whole number from 1 to ${CAMERA_DAYS_KEPT}`)
    .transform(Number)
    .pipe(z.number().min(1).max(CAMERA_DAYS_KEPT))
    .default(DAYS_DEFAULT)
    .openapi({ type: 'integer', minimum: 1, maximum: CAMERA_DAYS_KEPT, default: DAYS_DEFAULT }),
});

const healthSchema = z.array(
  z
    .strictObject({
      date: z.iso.date().describe('The day, by the local calendar.'),
      reads_count: count.describe('How many plates it read.'),
      unreadable_count: count.describe('How many vehicles it saw whose plate it could not read, or not surely enough.'),
      refined_count: count.describe('How often it corrected a read.'),
      offline_seconds: count.describe('For how many seconds its gateway could not reach the camera.'),
      clock_drift_ms: count
        .nullable()
        .describe(
          "How many milliseconds the camera's clock was ahead of its gateway's, at most that day; below 0: behind. null when no read has shown it.",
        ),
    })
    .openapi('CameraDay'),
);

export function cameraHealthEndpoint({ store, clock }: { store: Pick<CloudStore, 'reader'>; clock: Clock }): Endpoint {
  return protectedEndpoint({
    method: 'get',
    path: '/v2/lpr-cameras/{id}/health',
    summary: 'What a camera read and how it was, day by day; the last 30 days unless a number is given',
    tag: 'LPR cameras',
    roles: ALL_ROLES,
    query: healthQuery,
    answer: healthSchema,
    find: ({ caller, ids }) => visibleRow(store.reader, CAMERA_LIST, { caller, id: ids.id }),
    async handle({ found: { id, timezone }, query: { days } }) {
      const today = dayIn(timezone, clock.now());
      const since = today - days + 1;
      const known = new Map((await daysOfCamera(store.reader, { id, since })).map((row) => [row.day, row]));
      return Array.from({ length: days }, (_, at) => {
        const day = since + at;
        const row = known.get(day);
        const { reads_count, unreadable_count, refined_count } = row ?? NO_COUNTS;
        return {
          date: new Date(day * DAY_MS).toISOString().slice(0, 10),
          reads_count,
          unreadable_count,
          refined_count,
          offline_seconds: Math.round((row?.offline_ms ?? 0) / 1_000),
          clock_drift_ms: row?.clock_drift_ms ?? null,
        };
      });
    },
  });
}
