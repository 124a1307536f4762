/** Records the states of places and parking gateways, each from where the store left it. */
import type { SensorItem } from '../../shared/gateway-config.js';
import type { Uid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import type { AgentStore, RecordedStatus, RecordStamp, SensorRecord } from '../store/agent-store.js';
import { newPlaceState } from './occupancy-machine.js';
import type { Occupancy } from './sensor-source.js';
import { createStateRecorder } from './state-recorder.js';
import type { ParkingGateway, Place } from './watched-places.js';

export interface SensorRecordsDeps {
  store: Pick<AgentStore, 'boot' | 'recordSensor'>;
  logger: Logger;
  stamp: (uid: Uid) => RecordStamp;
  newUid: () => Uid;
  onCommitted: (lane: 1) => void;
}

/** States that were recorded before a restart still hold: only another state is recorded. */
export function createSensorRecords(deps: SensorRecordsDeps) {
  const recorder = createStateRecorder({
    store: async (record: SensorRecord) => {
      await deps.store.recordSensor({ ...deps.stamp(deps.newUid()), record });
      deps.onCommitted(1);
    },
    logger: deps.logger,
  });
  const recordedAtBoot = new Map(
    deps.store.boot.recorded.map((recorded) => [`${recorded.kind} ${recorded.id}`, recorded.status]),
  );

  /** Each thing is asked for once: when it comes back to the configuration later, others may have changed its state meanwhile. */
  function removeRecordedAtBoot<Status extends RecordedStatus['status']>(kind: RecordedStatus['kind'], id: number) {
    const key = `${kind} ${id}`;
    const status = recordedAtBoot.get(key) ?? null;
    recordedAtBoot.delete(key);
    return status as Status | null;
  }

  function newPlace(item: Place['item']): Place {
    const occupancy = removeRecordedAtBoot<Occupancy>('place_change', item.id);
    return {
      item,
      raw: null,
      state: newPlaceState(occupancy),
      recorded: recorder.track(occupancy, (occupancy_status, event_ms, time_source = 'arrival') => ({
        kind: 'place_change',
        parking_place_id: item.id,
        occupancy_status,
        event_ms,
        time_source,
      })),
    };
  }

  function newGatewayStatus({ id }: SensorItem): ParkingGateway['recorded'] {
    // The cloud counts a parking gateway of which it never heard as offline.
    const status = removeRecordedAtBoot<'online' | 'offline'>('parking_gateway_status', id) ?? 'offline';
    return recorder.track(status, (to, event_ms) => ({
      kind: 'parking_gateway_status',
      parking_gateway_id: id,
      status: to,
      event_ms,
    }));
  }

  return { newPlace, newGatewayStatus, settled: recorder.settled };
}
