/** The answer to a gateway's hello: what the cloud holds of its records, and the time. */
import type { Clock } from '../../shared/clock.js';
import type { GatewayUuid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import { helloSchema, LANES, type Hello, type Welcome } from '../../shared/uplink.js';
import type { CloudStore } from '../store/cloud-store.js';
import { findGatewayByUuid } from '../store/queries/gateways.js';
import { readCursors } from '../store/queries/ingest.js';
import type { BootClocks } from './boot-clocks.js';

export interface HelloAnswer {
  gateway_id: number;
  hello: Hello;
  welcome: Welcome;
}

/** null when it cannot be read or its gateway is unknown; rejects when the database is out of order. */
export type HelloTaker = (uuid: GatewayUuid, payload: unknown) => Promise<HelloAnswer | null>;

export function createHelloTaker(deps: {
  store: CloudStore;
  clock: Clock;
  logger: Logger;
  bootClocks: BootClocks;
}): HelloTaker {
  const { store, clock, logger } = deps;
  return async (uuid, payload) => {
    // Taken at once: the time between this and the gateway's mono_ms is the error of what is placed by it.
    const heard_ms = clock.now();
    const parsed = helloSchema.safeParse(payload);
    if (!parsed.success) {
      logger.warn({ uuid, reason: parsed.error.issues[0]?.message }, 'hello of a gateway cannot be read');
      return null;
    }
    const hello = parsed.data;
    const gateway = await findGatewayByUuid(store.reader, uuid);
    if (gateway === undefined) {
      logger.warn({ uuid }, 'hello of a gateway that is not known');
      return null;
    }
    const known = await readCursors(store.reader, { gateway_id: gateway.id, epoch: hello.epoch });
    deps.bootClocks.note(gateway.id, hello, heard_ms);
    const cursors = LANES.map((lane) => ({
      lane,
      seq: known.find((cursor) => cursor.lane === lane)?.seq ?? 0,
    }));
    return { gateway_id: gateway.id, hello, welcome: { epoch: hello.epoch, cursors, cloud_ms: clock.now() } };
  };
}
