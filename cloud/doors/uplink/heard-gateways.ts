/** Has the broker hear the gateways that are this process's own: all of them, or its share when several processes run. */
import type { GatewayUuid } from '../../../shared/ids.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import { createMutex } from '../../../shared/flow/mutex.js';
import type { Logger } from '../../../shared/logger.js';
import { type BootClocks, type Broker, claimedGateways, type GoneReason } from '../../equipment/entry.js';
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
  /** Called for a gateway that another process hears from now on (`moved`), or that another process deleted. */
  onLeft: (gateway: { id: number; uuid: GatewayUuid }, reason: GoneReason) => void;
}): HeardGateways {
  const { store, broker, bootClocks } = deps;
  const heard = new Map<GatewayUuid, number>();
  let isOwn: (uuid: GatewayUuid) => boolean = () => false;
  const turns = createMutex<'look'>();

  async function look(): Promise<void> {
    const claimed = new Map<GatewayUuid, number>();
    for (const { id, uuid } of await claimedGateways(store.reader)) {
      const known = gatewayUuidSchema.safeParse(uuid);
      if (known.success) claimed.set(known.data, id);
    }
    const left = [...heard].filter(([uuid]) => !(claimed.has(uuid) && isOwn(uuid)));
    leave(
      left.filter(([uuid]) => claimed.has(uuid)),
      'moved',
    );
    leave(
      left.filter(([uuid]) => !claimed.has(uuid)),
      'deleted',
    );
    const fresh = [...claimed].filter(([uuid]) => isOwn(uuid) && !heard.has(uuid));
    await bootClocks.load(fresh.map(([, id]) => id));
    // Some of them may have become another process's in the meantime.
    const kept = fresh.filter(([uuid]) => isOwn(uuid));
    for (const [uuid, id] of kept) heard.set(uuid, id);
    broker.hear(kept.map(([uuid]) => uuid));
  }

  function leave(gateways: readonly [GatewayUuid, number][], reason: GoneReason): void {
    broker.leave(gateways.map(([uuid]) => uuid));
    for (const [uuid, id] of gateways) {
      heard.delete(uuid);
      bootClocks.forget(id);
      deps.onLeft({ id, uuid }, reason);
    }
  }

  /** Looks follow each other, so that the last one is the newest. */
  const lookInTurn = () => turns.run('look', look);

  return {
    choose(isChosen) {
      isOwn = isChosen;
      // Gateways that now belong to another process are left at once, even when the database cannot be read.
      leave(
        [...heard].filter(([uuid]) => !isChosen(uuid)),
        'moved',
      );
      return lookInTurn();
    },
    claimed: lookInTurn,
    deleted(uuid) {
      const id = heard.get(uuid);
      if (id !== undefined) leave([[uuid, id]], 'moved');
    },
    has: (uuid) => heard.has(uuid),
  };
}
