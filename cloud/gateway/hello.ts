/** The answer to a gateway's hello: what the cloud holds of its records, and the time. */
import type { Clock } from '../../shared/clock.js';
import type { GatewayUuid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import { helloSchema, LANES, type Hello, type Welcome } from '../../shared/uplink.js';
import type { CloudStore } from '../store/cloud-store.js';
import { findGatewayByUuid, saveGatewaySeen } from '../store/queries/gateways.js';
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
    const found = await store.change(async (tx) => {
      const gateway = await findGatewayByUuid(tx, uuid);
      if (gateway === undefined) return null;
      await saveGatewaySeen(tx, { id: gateway.id, now: heard_ms, agent_version: hello.agent_version });
      return { id: gateway.id, cursors: await readCursors(tx, { gateway_id: gateway.id, epoch: hello.epoch }) };
    });
    if (found === null) {
      logger.warn({ uuid }, 'hello of a gateway that is not known');
      return null;
    }
    deps.bootClocks.note(found.id, hello, heard_ms);
    const cursors = LANES.map((lane) => ({
      lane,
      seq: found.cursors.find((cursor) => cursor.lane === lane)?.seq ?? 0,
    }));
    return { gateway_id: found.id, hello, welcome: { epoch: hello.epoch, cursors, cloud_ms: clock.now() } };
  };
}
