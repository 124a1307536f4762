/** What Mosquitto lets the cloud and each gateway do, in the words of its dynamic-security plugin. What is not named here is denied. */
import type { GatewayUuid } from '../../../shared/ids.js';
import { gatewaySubscriptions, UP_CHANNELS, upTopic } from '../../../shared/topics.js';

export interface MosquittoAcl {
  acltype: 'publishClientSend' | 'publishClientReceive' | 'subscribePattern' | 'subscribeLiteral';
  topic: string;
  allow: true;
}

const allow = (acltype: MosquittoAcl['acltype'], topic: string): MosquittoAcl => ({ acltype, topic, allow: true });

/** By the plugin's own default, every client may receive what matches one of its subscriptions. */
export const DEFAULT_ACCESS = [
  { acltype: 'publishClientSend', allow: false },
  { acltype: 'publishClientReceive', allow: false },
  { acltype: 'subscribe', allow: false },
  { acltype: 'unsubscribe', allow: true },
] as const;

export const CLOUD_ROLE = 'parking-cloud';

export const cloudAcls: readonly MosquittoAcl[] = [
  allow('publishClientSend', 'gw/+/down/+'),
  allow('publishClientReceive', 'gw/+/up/+'),
  allow('subscribePattern', 'gw/+/up/+'),
];

export const gatewayRole = (uuid: GatewayUuid): string => `gateway-${uuid}`;

/** The uuid in the name of a gateway's role; null: the role is of somebody else. */
export const gatewayOfRole = (rolename: string): string | null => /^gateway-(.+)$/.exec(rolename)?.[1] ?? null;

/** Subscriptions as patterns: the plugin would read the wildcard of a literal one as a plain character. */
export function gatewayAcls(uuid: GatewayUuid): MosquittoAcl[] {
  return [
    ...UP_CHANNELS.map((channel) => allow('publishClientSend', upTopic(uuid, channel))),
    ...gatewaySubscriptions(uuid).flatMap((filter) => [
      allow('subscribePattern', filter),
      allow('publishClientReceive', filter),
    ]),
  ];
}
