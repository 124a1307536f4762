/** Connects the broker with what gateways' messages mean: one handler per channel, one message of a gateway at a time. */
import type { GatewayUuid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import type { DownChannel } from '../../shared/topics.js';
import type { Broker, UpMessage } from '../broker/broker.js';
import type { CommandDispatcher } from '../command/command-dispatcher.js';
import type { Ingest } from '../ingest/ingest.js';
import type { ProductReports } from '../product/product-reports.js';
import type { ProductSightings } from '../product/product-sightings.js';
import type { ConfigPublisher } from './config-publisher.js';
import type { HelloTaker } from './hello.js';
import type { PresenceTracker } from './presence.js';

export interface GatewayLinkDeps {
  broker: Broker;
  logger: Logger;
  presence: PresenceTracker;
  hello: HelloTaker;
  ingest: Ingest;
  reports: ProductReports;
  sightings: ProductSightings;
  publisher: ConfigPublisher;
  commands: Pick<CommandDispatcher, 'committed' | 'gatewayOffline'>;
}

/** Begins to take messages. Returns how to stop. */
export function createGatewayLink(deps: GatewayLinkDeps): { close(): void } {
  const { broker, logger, publisher } = deps;
  /** Of gateways that said hello: what their sightings are kept by. */
  const ids = new Map<GatewayUuid, number>();

  /** Not waited for: while a gateway reads slowly, the broker must go on reading its pings. The order is kept. */
  function send(uuid: GatewayUuid, channel: DownChannel, message: unknown): void {
    broker.publish(uuid, channel, JSON.stringify(message)).catch((error: unknown) => {
      logger.warn({ error, uuid, channel }, 'message to a gateway could not be sent');
    });
  }

  async function takePresence(uuid: GatewayUuid, payload: unknown): Promise<void> {
    const status = await deps.presence.take(uuid, payload);
    if (status !== 'offline') return;
    publisher.forget(uuid);
    const id = ids.get(uuid);
    ids.delete(uuid);
    if (id === undefined) return;
    deps.sightings.forgetGateway(id);
    deps.commands.gatewayOffline(id);
  }

  async function takeHello(uuid: GatewayUuid, payload: unknown): Promise<void> {
    const answer = await deps.hello(uuid, payload);
    if (answer === null) return;
    const { gateway_id, hello, welcome } = answer;
    ids.set(uuid, gateway_id);
    send(uuid, 'welcome', welcome);
    try {
      await deps.presence.takeHello(uuid, hello);
    } finally {
      // Presence is tried again by itself; a gateway whose hello came to nothing would not hear of a change until its next one.
      await publisher.hello({ id: gateway_id, uuid }, hello);
    }
  }

  async function takeRecords(uuid: GatewayUuid, payload: unknown): Promise<void> {
    const taken = await deps.ingest.take(uuid, payload);
    if (taken === null) return;
    publisher.noteEpoch(uuid, taken.ack.epoch);
    for (const step of taken.commandSteps) deps.commands.committed(step);
    send(uuid, 'ack', taken.ack);
    if (taken.dirty.size > 0) publisher.markDirty({ lot_id: taken.lot_id }, [...taken.dirty]);
  }

  async function take({ uuid, channel, payload }: UpMessage): Promise<void> {
    const parsed = parseJson(payload);
    if (parsed === undefined) {
      logger.warn({ uuid, channel, bytes: payload.byteLength }, 'message of a gateway is no JSON');
      return;
    }
    switch (channel) {
      case 'presence':
        return takePresence(uuid, parsed);
      case 'hello':
        return takeHello(uuid, parsed);
      case 'records':
        return takeRecords(uuid, parsed);
      case 'report':
        return deps.reports.take(uuid, parsed);
    }
  }

  return { close: broker.onMessage(take) };
}

function parseJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
  } catch {
    return undefined;
  }
}
