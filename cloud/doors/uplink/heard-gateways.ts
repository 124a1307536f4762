/** Hears the gateways that are this process's own: all of them, or those of its parts. */
import type { GatewayUuid } from '../../../shared/ids.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { type BootClocks, type Broker, claimedGateways } from '../../equipment/entry.js';
import type { CloudStore } from '../../kernel/entry.js';

export interface HeardGateways {
  /** Hears those for which this is true from now on, and no others; those that are claimed later too. */
  choose(isOwn: (uuid: GatewayUuid) => boolean): Promise<void>;
  /** Hears a gateway that was claimed, if it is an own one. */
  claimed(): Promise<void>;
  /** Hears a gateway no more that was deleted. */
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
  let turn = Promise.resolve();

  async function look(): Promise<void> {
    const own = new Map<GatewayUuid, number>();
    for (const { id, uuid } of await claimedGateways(store.reader)) {
      const known = gatewayUuidSchema.safeParse(uuid);
      if (known.success && isOwn(known.data)) own.set(known.data, id);
    }
    leave([...heard].filter(([uuid]) => !own.has(uuid)));
    const fresh = [...own].filter(([uuid]) => !heard.has(uuid));
    await bootClocks.load(fresh.map(([, id]) => id));
    // They may have become another process's in the meantime.
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

  /** One after the other, so that the last look is the newest. */
  function lookInTurn(): Promise<void> {
    const looked = turn.then(look);
    turn = looked.catch(() => {});
    return looked;
  }

  return {
    choose(isChosen) {
      isOwn = isChosen;
      // What is given away is left at once, also when the database cannot be asked.
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
