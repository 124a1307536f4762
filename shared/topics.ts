/** Builds and parses every MQTT topic: a gateway publishes to `gw/<uuid>/up/...`, the cloud to `gw/<uuid>/down/...`. */
import { gatewayUuidSchema, type GatewayUuid } from './ids.js';

/** The topics on which a gateway publishes. `presence` is retained, and is also the gateway's last will. */
export const UP_CHANNELS = ['presence', 'hello', 'records', 'report'] as const;
export type UpChannel = (typeof UP_CHANNELS)[number];

/**
 * The topics on which the cloud publishes to one gateway. These messages are never retained, and never queued while the
 * gateway is not connected.
 */
export const DOWN_CHANNELS = [
  'welcome',
  'ack',
  'config',
  'command',
  'pairing',
  'admin',
  'doctor',
  'ask',
  'greet',
] as const;
export type DownChannel = (typeof DOWN_CHANNELS)[number];

export const upTopic = (uuid: GatewayUuid, channel: UpChannel): string => `gw/${uuid}/up/${channel}`;
export const downTopic = (uuid: GatewayUuid, channel: DownChannel): string => `gw/${uuid}/down/${channel}`;

/** A gateway subscribes to all of its own down topics. It also subscribes to its own presence, to correct it when it is wrong. */
export const gatewaySubscriptions = (uuid: GatewayUuid): string[] => [`gw/${uuid}/down/+`, upTopic(uuid, 'presence')];

export type ParsedTopic =
  | { uuid: GatewayUuid; direction: 'up'; channel: UpChannel }
  | { uuid: GatewayUuid; direction: 'down'; channel: DownChannel };

/** Returns the parts of a gateway's topic; null for any other text. */
export function parseTopic(topic: string): ParsedTopic | null {
  const [root, rawUuid, direction, channel, ...rest] = topic.split('/');
  const uuid = gatewayUuidSchema.safeParse(rawUuid);
  if (root !== 'gw' || rest.length > 0 || !uuid.success) return null;
  if (direction === 'up' && UP_CHANNELS.some((known) => known === channel)) {
    return { uuid: uuid.data, direction, channel: channel as UpChannel };
  }
  if (direction === 'down' && DOWN_CHANNELS.some((known) => known === channel)) {
    return { uuid: uuid.data, direction, channel: channel as DownChannel };
  }
  return null;
}

/** Says whether a gateway may publish to the topic: only to its own up topics. */
export function mayGatewayPublish(uuid: GatewayUuid, topic: string): boolean {
  const parsed = parseTopic(topic);
  return parsed !== null && parsed.direction === 'up' && parsed.uuid === uuid;
}

/**
 * Says whether a gateway may subscribe by the filter: only to its own down topics and its own presence, by the exact
 * filters of `gatewaySubscriptions` or narrower ones.
 */
export function mayGatewaySubscribe(uuid: GatewayUuid, filter: string): boolean {
  if (gatewaySubscriptions(uuid).includes(filter)) return true;
  const parsed = parseTopic(filter);
  return parsed !== null && parsed.direction === 'down' && parsed.uuid === uuid;
}

/** Returns the client id of a terminal. A terminal is identified by its Ed25519 key (base64url), which its client id and its topics contain. */
export const terminalClientId = (publicKey: string): string => `terminal-${publicKey}`;

/** Returns the key in a terminal's client id; null for any other text. */
export const parseTerminalClientId = (clientId: string): string | null =>
  /^terminal-([A-Za-z0-9_-]{43})$/.exec(clientId)?.[1] ?? null;

/** The only topic that a terminal subscribes to. It carries the order to register. */
export const terminalDownTopic = (publicKey: string): string => `terminal/${publicKey}/down/register`;
/** The only topic that a terminal publishes to. It carries the signed answer. */
export const terminalUpTopic = (publicKey: string): string => `terminal/${publicKey}/up/registered`;
