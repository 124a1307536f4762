/** Handles the messages of gateways: one handler per channel, and one message of a gateway at a time. */
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { brokenJsonBound } from '../../../shared/json-measure.js';
import type { DownChannel } from '../../../shared/topics.js';
import { presenceSchema } from '../../../shared/uplink.js';
import { MESSAGE_BOUNDS } from '../../../shared/uplink-bounds.js';
import type { Broker, PresenceTracker, ProductReports, UpMessage } from '../../equipment/entry.js';
import type { Ingest } from '../../traffic/entry.js';
import type { ConfigPublisher } from '../configuration/config-publisher.js';
import type { HelloHandler } from './hello.js';
import type { HelloRequester } from './hello-requester.js';
import type { UnhandledMessages } from './unhandled-messages.js';
import type { UplinkQuota } from './uplink-quota.js';

export interface GatewayLinkDeps {
  broker: Broker;
  clock: Clock;
  logger: Logger;
  presence: PresenceTracker;
  hello: HelloHandler;
  ingest: Ingest;
  reports: ProductReports;
  publisher: Pick<ConfigPublisher, 'hello' | 'noteOutboxEpoch'>;
  quota: UplinkQuota;
  helloRequester: Pick<HelloRequester, 'note'>;
  unhandled: UnhandledMessages;
}

/** Begins to handle messages. */
export function createGatewayLink(deps: GatewayLinkDeps): { close(): void } {
  const { broker, publisher } = deps;
  const outsiders = createBoundedLog(deps);
  const send = (uuid: GatewayUuid, channel: DownChannel, message: unknown) => sendTo(deps, { uuid, channel, message });

  async function handleHello(uuid: GatewayUuid, payload: unknown): Promise<void> {
    const answer = await deps.hello(uuid, payload);
    if (answer === null) return;
    const { gateway_id, hello, welcome, keep } = answer;
    send(uuid, 'welcome', welcome);
    try {
      await deps.presence.handleHello(uuid, hello, keep);
    } finally {
      // Presence is tried again by itself. Without this call the gateway would get no configuration until its next hello.
      await publisher.hello({ id: gateway_id, uuid }, hello);
    }
  }

  async function handleRecords(uuid: GatewayUuid, payload: Uint8Array): Promise<void> {
    const ack = await deps.ingest.apply(uuid, payload);
    if (ack === null) return;
    publisher.noteOutboxEpoch(uuid, ack.epoch);
    send(uuid, 'ack', ack);
  }

  async function handle(message: UpMessage): Promise<void> {
    deps.helloRequester.note(message);
    if (!(await deps.quota.spend(message.uuid, message.payload.byteLength))) return;
    const { uuid, channel } = message;
    try {
      await handleNow(message);
    } catch (error) {
      return deps.unhandled.note(uuid, channel, error);
    }
    await deps.unhandled.handled(uuid, channel);
  }

  async function handleNow({ uuid, channel, payload, isRetained = false }: UpMessage): Promise<void> {
    // A batch is split before it is parsed, because each of its records is judged by itself.
    if (channel === 'records') return handleRecords(uuid, payload);
    const parsed = parseJson(payload);
    if (parsed === undefined) {
      outsiders.from(uuid).warn({ uuid, channel, bytes: payload.byteLength }, 'message of a gateway is no JSON');
      return;
    }
    switch (channel) {
      case 'presence':
        // A hello request finds out whether a gateway that said this earlier is still there.
        if (isRetained && presenceSchema.safeParse(parsed).data?.status === 'online') return;
        return deps.presence.handlePresence(uuid, parsed);
      case 'hello':
        return handleHello(uuid, parsed);
      case 'report':
        return deps.reports.handleReport(uuid, parsed);
    }
  }

  const stopHearing = broker.onMessage(handle);
  return {
    close() {
      deps.quota.close();
      stopHearing();
    },
  };
}

/** Does not wait: while a gateway reads slowly, the broker must go on reading its pings. The order is kept. */
function sendTo(
  { broker, logger }: Pick<GatewayLinkDeps, 'broker' | 'logger'>,
  { uuid, channel, message }: { uuid: GatewayUuid; channel: DownChannel; message: unknown },
): void {
  broker.publish(uuid, channel, JSON.stringify(message)).catch((error: unknown) => {
    logger.warn({ err: error, uuid, channel }, 'message to a gateway could not be sent');
  });
}

/** @returns undefined when the payload is no JSON, or has more depth or keys than any message of a gateway */
function parseJson(payload: Uint8Array): unknown {
  if (brokenJsonBound(payload, MESSAGE_BOUNDS) !== null) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
  } catch {
    return undefined;
  }
}
