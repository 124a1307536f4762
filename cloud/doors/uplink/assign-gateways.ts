/**
 * Shares the gateways with the other cloud processes on the same database: settles which gateways this process hears, and follows what the
 * others do to gateways. A process that is alone with its database hears all gateways.
 */
import type { Registry } from 'prom-client';
import type { Clock } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { Broker, CommandDispatcher, GoneGateways } from '../../equipment/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { joinProcesses, measureMembership, partOfGateway, type PeerTalk } from '../../kernel/peers/entry.js';
import type { ConfigPublisher } from '../configuration/config-publisher.js';
import type { HeardGateways } from './heard-gateways.js';

const LOOK_AGAIN_MS = 1_000;

export interface AssignedGateways {
  /** Whether this process does what one process has to do for all. */
  isFirst(): boolean;
  /** The listener is called when this process becomes the first one. */
  onFirst(listener: () => void): void;
  /** Gives all gateways to the other processes, and takes none any more. */
  leave(): Promise<void>;
  /** Follows the others no more. */
  close(): void;
  /** Ends the membership: this process writes nothing from then on. */
  endMembership(): Promise<void>;
}

export interface AssignmentDeps {
  store: CloudStore;
  broker: Pick<Broker, 'ready'>;
  clock: Clock;
  logger: Logger;
  registry: Registry;
}

interface Shared {
  /** Whether gateways reach every process through one external broker. */
  isBrokerShared: boolean;
  talk: Pick<PeerTalk, 'listen'>;
  gone: GoneGateways;
  heard: HeardGateways;
  publisher: Pick<ConfigPublisher, 'markStale' | 'markAllStale'>;
  dispatcher: Pick<CommandDispatcher, 'resume'>;
  /** Called when other processes took this one for dead. */
  onExpelled: () => void;
}

export async function assignGateways(deps: AssignmentDeps, shared: Shared): Promise<AssignedGateways> {
  const { store, broker, clock, logger } = deps;
  const { isBrokerShared, gone, heard, publisher, dispatcher } = shared;
  const firstListeners: (() => void)[] = [];
  const hearOwn = (isOwn: (uuid: GatewayUuid) => boolean): Promise<void> =>
    heard.choose(isOwn).catch((error: unknown) => {
      logger.error({ err: error }, 'gateways of this process could not be looked up; it is tried again');
      clock.setTimer(LOOK_AGAIN_MS, () => void hearOwn(isOwn));
    });
  const lookForClaimed = () =>
    void heard
      .claimed()
      .catch((error: unknown) => logger.error({ err: error }, 'claimed gateways could not be looked up'));
  /** What another process told and this one did not hear is in the database. */
  const lookForMissed = () => {
    publisher.markAllStale();
    lookForClaimed();
  };
  const resume = () =>
    void dispatcher.resume().catch((error: unknown) => logger.error({ err: error }, 'commands could not be resumed'));
  const join = () =>
    store.peers &&
    joinProcesses({
      peers: store.peers,
      clock,
      logger,
      canHear: () => broker.ready,
      onParts: (parts) => void (isBrokerShared && hearOwn((uuid) => parts.has(partOfGateway(uuid)))),
      onDeath() {
        lookForMissed();
        resume();
      },
      onFirst: () => firstListeners.forEach((listener) => listener()),
      onLeft: resume,
      onExpelled: shared.onExpelled,
    });
  const membership = await join();
  measureMembership(membership, deps.registry);
  if (!isBrokerShared || membership === null) await heard.choose(() => true);
  const stopForeign = store.onForeignChange(({ isOfTool }) => {
    if (isOfTool) lookForMissed();
  });
  const stopTalk = shared.talk.listen({
    configChanged: (of) => publisher.markStale(of, of.sections),
    gatewayClaimed: lookForClaimed,
    gatewayDeleted: (gateway) => gone.note(gateway, 'deleted'),
    missed: lookForMissed,
  });
  return {
    isFirst: () => membership?.isFirst() ?? true,
    onFirst: (listener) => void firstListeners.push(listener),
    leave: async () => membership?.leave(),
    close() {
      stopForeign();
      stopTalk();
    },
    endMembership: async () => membership?.close(),
  };
}
