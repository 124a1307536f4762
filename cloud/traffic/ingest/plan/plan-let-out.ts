/** Plans what it does to the stay that a person let its vehicle out: in the order of the records, because it may be read again at once. */
import type { RecordPayload } from '../../../../shared/uplink.js';
import { openedNothing } from '../../reading/refused-exit-queries.js';
import { addExitOfPlate, sessionsOfPlateInLot } from '../load/facts.js';
import { letThroughUidOf } from '../read/payload-references.js';
import type { RecordContext } from './context.js';
import { ownOpenSession } from './decide-session.js';
import { endByCamera } from './plan-session-effect.js';

/**
 * Ends the stay of the plate as of the refused read, or keeps the read as an exit for an entry that comes late. A stay whose plate only looks
 * like it is found after the plan was written (`let-out-queries.ts`).
 */
export function planLetOut(context: RecordContext, payload: RecordPayload): void {
  const { plan, memory, gateway } = context;
  const uid = letThroughUidOf(payload);
  if (uid === null) return;
  const planned = plan.readings.get(uid) ?? null;
  const known = planned === null ? memory.refinable.get(uid) : { reading: planned, session_id: null };
  if (known === undefined) return;
  const { reading } = known;
  const { lot_id, plate_normalised, created_at: at, lpr_camera_id: camera_id } = reading.row;
  if (lot_id !== gateway.lot_id || camera_id === null || reading.session !== null) return;
  if (!openedNothing({ ...reading.row, session_id: known.session_id })) return;
  const read = { at, isEstimated: reading.row.time_estimated === 1 };
  const session = ownOpenSession(sessionsOfPlateInLot(memory, { lot_id, plate_normalised }), read);
  if (session === undefined) {
    addExitOfPlate(memory, { lot_id, plate_normalised }, { reading, planned, at, camera_id });
    return;
  }
  endByCamera(context, session, { at, camera_id, reading, look_alike: false });
  reading.session = session;
  if (planned === null) plan.claimedReadings.push({ reading, session });
}
