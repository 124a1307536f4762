/** The step that follows a command which has let a vehicle through. */
import type { VehicleLetIn } from '../../equipment/entry.js';
import type { ConfigChanged } from '../../rest/entry.js';
import { markHandled, noteLetIn } from '../reading/handled-queries.js';
import { endStayOfLetOut } from './let-out-queries.js';

export const letInVehicle =
  ({ configChanged }: { configChanged: ConfigChanged }): VehicleLetIn =>
  async (tx, { vehicle, by, at }) => {
    const which =
      'plate_reading_id' in vehicle
        ? ({ table: 'plate_readings', id: vehicle.plate_reading_id } as const)
        : ({ table: 'sightings', id: vehicle.plate_sighting_id } as const);
    const lot_id = await noteLetIn(tx, which, { by, at, now: at });
    if (lot_id === null) return;
    markHandled(tx, lot_id, configChanged);
    if (which.table !== 'plate_readings') return;
    const ended = await endStayOfLetOut(tx, { id: which.id, now: at });
    if (ended !== null) tx.onCommit(() => configChanged({ lot_id: ended }, ['sessions']));
  };
