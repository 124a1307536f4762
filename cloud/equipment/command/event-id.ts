import { randomBytes } from 'node:crypto';
import { type EventId, eventIdSchema } from '../../../shared/ids.js';

/** 8 random hex digits. */
export function generateEventId(): EventId {
  return eventIdSchema.parse(randomBytes(4).toString('hex'));
}
