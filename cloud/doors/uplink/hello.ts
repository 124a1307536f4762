/** The answer to a gateway's hello: what the cloud holds of its records, and the time. */
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { helloSchema, LANES, type Hello, type Welcome } from '../../../shared/uplink.js';
import type { CloudStore, Tx } from '../../kernel/store/entry.js';
import { type BootClocks, findGatewayByUuid } from '../../equipment/entry.js';
import { readCursors } from '../../traffic/entry.js';

export interface HelloAnswer {
  gateway_id: number;
  hello: Hello;
  welcome: Welcome;
  /** Stores the reading of the gateway's clock that the hello had. */
  keep: (tx: Tx) => Promise<void>;
}

/** Resolves to null when the hello cannot be read or its gateway is unknown; rejects when the database fails. */
export type HelloHandler = (uuid: GatewayUuid, payload: unknown) => Promise<HelloAnswer | null>;

export function createHelloHandler(deps: {
  store: CloudStore;
  clock: Clock;
  logger: Logger;
  bootClocks: BootClocks;
  /** Ends the connection of a gateway that was deleted. */
  disconnectGateway: (uuid: GatewayUuid) => void;
}): HelloHandler {
  const { store, clock } = deps;
  const outsiders = createBoundedLog(deps);
  return async (uuid, payload) => {
    // The clock is read at once: a delay since the gateway read its mono_ms is an error in every time that is computed from both.
    const heard_ms = clock.now();
    const parsed = helloSchema.safeParse(payload);
    if (!parsed.success) {
      outsiders.from(uuid).warn({ uuid, reason: parsed.error.issues[0]?.message }, 'hello of a gateway cannot be read');
      return null;
    }
    const hello = parsed.data;
    const gateway = await findGatewayByUuid(store.reader, uuid);
    if (gateway === undefined) {
      outsiders.from(uuid).warn({ uuid }, 'hello of a gateway that is not known');
      deps.disconnectGateway(uuid);
      return null;
    }
    const known = await readCursors(store.reader, { gateway_id: gateway.id, epoch: hello.epoch });
    const keep = deps.bootClocks.note(gateway.id, hello, heard_ms);
    const cursors = LANES.map((lane) => ({
      lane,
      seq: known.find((cursor) => cursor.lane === lane)?.seq ?? 0,
    }));
    return { gateway_id: gateway.id, hello, keep, welcome: { epoch: hello.epoch, cursors, cloud_ms: clock.now() } };
  };
}
