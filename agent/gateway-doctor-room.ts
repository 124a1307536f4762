/** Builds `doctor` of the running gateway from the rooms that it looks at. */
import { dirname } from 'node:path';
import { createGatewayDoctor, type GatewayDoctor } from './doctor/gateway-doctor.js';
import type { GatewayDeps } from './gateway-deps.js';
import type { Rooms } from './gateway-rooms.js';
import { oldestOf } from './health/health-reporter.js';
import type { GatewayStatus } from './health/status.js';
import { createDryRun } from './lpr/reads/dry-run.js';

export function createDoctorRoom(deps: GatewayDeps, rooms: Rooms, status: () => Promise<GatewayStatus>): GatewayDoctor {
  const { clock, store, identity } = deps;
  const { memory, uplink, products, sensors, clockGuard, newEventId, localActions } = rooms;
  return createGatewayDoctor({
    ...memory,
    clock,
    logger: deps.logger,
    version: deps.version,
    status,
    drivers: deps.cameraDrivers,
    runDry: createDryRun({
      ...memory,
      sensors,
      isHeldClosed: products.watch.isHeldClosed,
      clock,
      isOnline: () => uplink.state().connected,
    }),
    commander: products.commander,
    newEventId,
    actions: localActions,
    oldestWaitingMs: async () => oldestOf({ store }, await store.outboxState()),
    dataDir: dirname(store.health.path),
    cloud: identity.cloud,
    isTimePossible: clockGuard.isKnown,
    cloudOffMs() {
      const offset_ms = uplink.state().cloud_offset_ms;
      return offset_ms === null ? null : clock.now() - clock.monotonic() - offset_ms;
    },
    brokerRefusal: () => uplink.state().refusal,
    publish: (report) => uplink.publishReport({ products: [], doctor: report }),
  });
}
