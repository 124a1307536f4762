/** Has the broker hear the gateways that are this process's own: all of them, or its share when several processes run. */
import type { GatewayUuid } from '../../../shared/ids.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import { createMutex } from '../../../shared/flow/mutex.js';
import type { Logger } from '../../../shared/logger.js';
import { type BootClocks, type Broker, claimedGateways } from '../../equipment/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';

export interface HeardGateways {
  /** Hears from now on exactly the gateways for which `isOwn` is true, including those that are claimed later. */
  choose(isOwn: (uuid: GatewayUuid) => boolean): Promise<void>;
  /** Hears a gateway that was claimed, if it is an own one. */
  claimed(): Promise<void>;
  /** Stops hearing a gateway that was deleted. */
  deleted(uuid: GatewayUuid): void;
  /** Whether the gateway is heard by this process. */
  has(uuid: GatewayUuid): boolean;
}

export function createHeardGateways(deps: {
  store: Pick<CloudStore, 'reader'>;
  broker: Pick<Broker, 'hear' | 'leave'>;
  bootClocks: Pick<BootClocks, 'load' | 'forget'>;
  logger: Logger;
  /** Called for a gateway that another process hears from now on. */
  onLeft: (gateway: { id: number; uuid: GatewayUuid }) => void;
}): HeardGateways {
  const { store, broker, bootClocks } = deps;
  const heard = new Map<GatewayUuid, number>();
  let isOwn: (uuid: GatewayUuid) => boolean = () => false;
  const turns = createMutex<'look'>();

  async function look(): Promise<void> {
    const own = new Map<GatewayUuid, number>();
    for (const { id, uuid } of await claimedGateways(store.reader)) {
      const known = gatewayUuidSchema.safeParse(uuid);
      if (known.success && isOwn(known.data)) own.set(known.data, id);
    }
    leave([...heard].filter(([uuid]) => !own.has(uuid)));
    const fresh = [...own].filter(([uuid]) => !heard.has(uuid));
    await bootClocks.load(fresh.map(([, id]) => id));
    // Some of them may have become another process's in the meantime.
    const left = fresh.filter(([uuid]) => isOwn(uuid));
    for (const [uuid, id] of left) heard.set(uuid, id);
    broker.hear(left.map(([uuid]) => uuid));
  }

  function leave(gateways: readonly [GatewayUuid, number][]): void {
    broker.leave(gateways.map(([uuid]) => uuid));
    for (const [uuid, id] of gateways) {
      heard.delete(uuid);
      bootClocks.forget(id);
      deps.onLeft({ id, uuid });
    }
  }

  /** Looks follow each other, so that the last one is the newest. */
  const lookInTurn = () => turns.run('look', look);

  return {
    choose(isChosen) {
      isOwn = isChosen;
      // Gateways that now belong to another process are left at once, even when the database cannot be read.
      leave([...heard].filter(([uuid]) => !isChosen(uuid)));
      return lookInTurn();
    },
    claimed: lookInTurn,
    deleted(uuid) {
      const id = heard.get(uuid);
      if (id !== undefined) leave([[uuid, id]]);
    },
    has: (uuid) => heard.has(uuid),
  };
}
