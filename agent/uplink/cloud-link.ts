/** The link to the cloud's broker: it adds the topics, parsing and presence of `shared/uplink.ts` to a transport. */
import type { z } from 'zod';
import { type Clock, sleep } from '../../shared/clock.js';
import { type ConfigMessage, configMessageSchema } from '../../shared/gateway-config.js';
import type { GatewayUuid, Uid } from '../../shared/ids.js';
import { brokenJsonBound, type JsonBounds } from '../../shared/json-measure.js';
import { parseJson } from '../../shared/json-text-codec.js';
import type { Logger } from '../../shared/logger.js';
import type { LinkEnd } from '../../shared/reconnect-ladder.js';
import { type DownChannel, gatewaySubscriptions, parseTopic, type UpChannel, upTopic } from '../../shared/topics.js';
import { type AskMessage, askMessageSchema } from '../../shared/uplink-asks.js';
import {
  type AdminMessage,
  adminMessageSchema,
  type CommandMessage,
  commandMessageSchema,
  doctorMessageSchema,
  type PairingMessage,
  pairingMessageSchema,
} from '../../shared/uplink-orders.js';
import { type Ack, ackSchema, greetSchema, type Presence, type Welcome, welcomeSchema } from '../../shared/uplink.js';
import { createPresenceKeeper } from './presence-keeper.js';
import type { UplinkLink, UplinkTransport } from './uplink-transport.js';

/** How long the broker may take to hear that the gateway leaves. */
const GOODBYE_TIMEOUT_MS = 2_000;
const NO_LINK = new Error('there is no link to the broker');

export interface CloudLinkOptions {
  transport: UplinkTransport;
  clock: Clock;
  logger: Logger;
  gatewayUuid: GatewayUuid;
  credentials: { url: string; username: string; password: string; ca: string | null };
  bootId: Uid;
}

export interface CloudLinkListener {
  onOpen(): void;
  /** @param reason for people */
  onEnd(end: LinkEnd, reason: string): void;
  onWelcome(welcome: Welcome): void;
  onAck(ack: Ack): void;
  onConfig(message: ConfigMessage): void;
  onCommand(message: CommandMessage): void;
  onPairing(message: PairingMessage): void;
  onAdmin(message: AdminMessage): void;
  onDoctor(): void;
  onAsk(message: AskMessage): void;
  onGreet(): void;
}

export interface CloudLink {
  /** Counts the connections of this boot. */
  readonly connection: number;
  /** Says who hears of the link from now on. It comes before the first `open`. */
  start(listener: CloudLinkListener): void;
  open(): void;
  /** Publishes this gateway's presence, and corrects it from now on when another one replaces it. */
  announce(): void;
  publish(channel: UpChannel, text: string, options: { qos: 0 | 1; retain: boolean }): Promise<void>;
  /** Ends the link; `onEnd` is not called. */
  drop(): Promise<void>;
  /** Like `drop`, but publishes first that the gateway is offline: the broker forgets the will of a client that says goodbye. */
  leave(): Promise<void>;
}

export function createCloudLink(options: CloudLinkOptions): CloudLink {
  const { transport, clock, logger, gatewayUuid, credentials, bootId } = options;
  let heard: { listener: CloudLinkListener; onMessage: ReturnType<typeof createMessageReader> } | null = null;
  let link: UplinkLink | null = null;
  let connection = 0;

  const publish: CloudLink['publish'] = (channel, text, how) =>
    link === null ? Promise.reject(NO_LINK) : link.publish(upTopic(gatewayUuid, channel), text, how);
  const publishPresence = (presence: Presence) =>
    publish('presence', JSON.stringify(presence), { qos: 1, retain: true });
  const presenceOf = (status: Presence['status']): Presence => ({ status, boot_id: bootId, connection });
  const presence = createPresenceKeeper({
    clock,
    publish: publishPresence,
    onRepair: (wrong) =>
      logger.warn({ wrong: JSON.stringify(wrong) }, 'a wrong presence of this gateway was found at the broker'),
  });

  async function drop(): Promise<void> {
    const dropped = link;
    link = null;
    presence.stop();
    await dropped?.close();
  }

  return {
    get connection() {
      return connection;
    },
    start(listener) {
      heard = { listener, onMessage: createMessageReader(options, listener, presence.heard) };
    },
    open() {
      if (heard === null) throw new Error('nobody hears of the link yet');
      const { listener, onMessage } = heard;
      connection += 1;
      const { url, username, password, ca } = credentials;
      const will = { topic: upTopic(gatewayUuid, 'presence'), payload: JSON.stringify(presenceOf('offline')) };
      const subscriptions = gatewaySubscriptions(gatewayUuid);
      link = transport.connect(
        { url, clientId: gatewayUuid, username, password, ca, will, subscriptions },
        {
          onOpen: listener.onOpen,
          onMessage,
          onEnd(end, reason) {
            link = null;
            presence.stop();
            logger.warn({ end, reason, connection }, 'the link to the broker ended');
            listener.onEnd(end, reason);
          },
        },
      );
    },
    announce: () => presence.announce({ boot_id: bootId, connection }),
    publish,
    drop,
    async leave() {
      const saidGoodbye = link === null ? Promise.resolve() : publishPresence(presenceOf('offline'));
      presence.stop();
      await atMost(clock, GOODBYE_TIMEOUT_MS, saidGoodbye);
      await drop();
    },
  };
}

/** Parses the broker's messages, and calls the listener with those it understands. The rest is logged. */
function createMessageReader(
  { gatewayUuid, logger }: Pick<CloudLinkOptions, 'gatewayUuid' | 'logger'>,
  listener: CloudLinkListener,
  onPresence: (payload: unknown) => void,
): (topic: string, payload: Uint8Array) => void {
  function hear<Message>(channel: DownChannel, schema: z.ZodType<Message>, receive: (message: Message) => void) {
    return (payload: unknown) => {
      const parsed = schema.safeParse(payload);
      if (parsed.success) receive(parsed.data);
      else {
        const issues = parsed.error.issues
          .slice(0, 3)
          .map(({ path, message }) => ({ path: path.map(String), message }));
        logger.warn({ channel, issues }, 'a message of the cloud is not understood');
      }
    };
  }
  const channels: Partial<Record<DownChannel, (payload: unknown) => void>> = {
    welcome: hear('welcome', welcomeSchema, listener.onWelcome),
    ack: hear('ack', ackSchema, listener.onAck),
    config: hear('config', configMessageSchema, listener.onConfig),
    command: hear('command', commandMessageSchema, listener.onCommand),
    pairing: hear('pairing', pairingMessageSchema, listener.onPairing),
    admin: hear('admin', adminMessageSchema, listener.onAdmin),
    doctor: hear('doctor', doctorMessageSchema, listener.onDoctor),
    ask: hear('ask', askMessageSchema, listener.onAsk),
    greet: hear('greet', greetSchema, listener.onGreet),
  };
  return (topic, payload) => {
    const parsed = parseTopic(topic);
    if (parsed === null || parsed.uuid !== gatewayUuid) return;
    const message = messageOf(payload);
    if (message === undefined) {
      logger.warn({ topic, bytes: payload.byteLength }, 'a message of the broker is no JSON');
      return;
    }
    if (parsed.direction === 'down') channels[parsed.channel]?.(message);
    else if (parsed.channel === 'presence') onPresence(message);
  };
}

/** A configuration has as many keys as there are things; no message of the cloud is nested deeper. */
const MESSAGE_BOUNDS: JsonBounds = { depth: 32, keysInObject: Infinity, keys: Infinity, values: Infinity };

/** Undefined: the payload is no JSON, or is nested deeper than any message. */
function messageOf(payload: Uint8Array): unknown {
  if (brokenJsonBound(payload, MESSAGE_BOUNDS) !== null) return undefined;
  return parseJson(new TextDecoder().decode(payload));
}

/** Waits until `work` succeeds or fails, but not longer than the limit. */
async function atMost(clock: Clock, limitMs: number, work: Promise<void>): Promise<void> {
  const stop = new AbortController();
  await Promise.race([work.catch(() => undefined), sleep(clock, limitMs, stop.signal).catch(() => undefined)]);
  stop.abort();
}
