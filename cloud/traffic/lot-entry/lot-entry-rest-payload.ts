/** Lot entries as REST shows them. */
import { z } from '@hono/zod-openapi';
import { datetime, flag, id, times } from '../../rest/field/answer-schemas.js';

export const lotEntrySchema = z
  .strictObject({
    id,
    scan_time: datetime,
    lpr_camera_id: id,
    lot_id: id,
    related_lot_entry_id: id.nullable(),
    duration: z
      .number()
      .int()
      .nullable()
      .describe('Of an exit, the seconds since the entry that belongs to it; null for none.'),
    is_allowed: flag,
    direction: z.enum(['in', 'out']),
    license_plate: z.string(),
    license_plate_image_url: z.string().nullable(),
    full_image_url: z.string().nullable(),
    make: z.string(),
    color: z.string(),
    model: z.string(),
    color_depth: z.number().nullable(),
    ...times,
  })
  .openapi('LotEntry');
