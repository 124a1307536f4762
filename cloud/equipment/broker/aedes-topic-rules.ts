/** Decides what a connection of the embedded broker may publish and subscribe to. */
import type { AedesOptions, Client, PublishPacket } from 'aedes';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import { mayGatewayPublish, mayGatewaySubscribe, parseTopic } from '../../../shared/topics.js';
import { messageBytesMax } from '../../../shared/uplink-bounds.js';
import { type BrokerState, SHOWN_LENGTH_MAX } from './aedes-state.js';
import type { UpMessage } from './broker.js';

/** Builds the rules. A violation is never acknowledged: a forbidden publish cuts the gateway off, a forbidden subscription fails. */
export function topicRules(
  state: BrokerState,
): Required<Pick<AedesOptions, 'authorizePublish' | 'authorizeSubscribe'>> {
  const { outsiders, peers, newest, terminals } = state;
  const refuse = (client: Client | null, { topic, reason }: { topic: string; reason: string }, message: string) => {
    const peer = client === null ? undefined : peers.get(client);
    const shown = topic.slice(0, SHOWN_LENGTH_MAX);
    outsiders.from(peer?.remote).warn({ client_id: peer?.client_id, topic: shown, reason }, message);
  };
  const isStaleWill = (client: Client): boolean => {
    const current = newest.get(client.id);
    return client.closed && (state.stopping || (current !== undefined && current !== client));
  };
  return {
    authorizePublish(client, packet, answer) {
      const key = client === null ? null : terminals.keyOf(client.id);
      if (key !== null) {
        const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
        const { topic, qos, retain } = packet;
        const reason = terminals.hear(key, { topic, payload, qos, retain });
        if (reason !== null) refuse(client, { topic, reason }, 'publish refused');
        answer(reason === null ? null : new Error(reason));
        return;
      }
      const message =
        client === null ? { refused: 'nobody but gateways publishes' } : acceptedMessage(state, client, packet);
      if (client === null || 'refused' in message) {
        const reason = 'refused' in message ? message.refused : '';
        refuse(client, { topic: packet.topic, reason }, 'publish refused');
        answer(new Error(reason));
        return;
      }
      if (isStaleWill(client)) {
        answer(new Error('the last will of a connection that was replaced, or of a broker that stops'));
        return;
      }
      // The socket is not read again until this is answered. While there is room the answer comes at once, so that pings behind records
      // are heard; after that the gateway waits for the cloud, and nothing piles up here.
      const room = state.inbox.deliver(message);
      if (room === null) {
        const reason = 'more of it waits already than a gateway sends without an answer';
        refuse(client, { topic: packet.topic, reason }, 'publish refused');
        answer(new Error(reason));
        return;
      }
      const reading = peers.get(client)?.reading;
      reading?.close();
      void room.then(() => {
        reading?.open();
        answer(null);
      });
    },
    authorizeSubscribe(client, subscription, answer) {
      const uuid = gatewayUuidSchema.safeParse(client.id);
      const key = terminals.keyOf(client.id);
      if (
        (uuid.success && mayGatewaySubscribe(uuid.data, subscription.topic)) ||
        (key !== null && terminals.maySubscribe(key, subscription.topic))
      ) {
        answer(null, subscription);
        return;
      }
      refuse(client, { topic: subscription.topic, reason: 'the topic is not its own' }, 'subscription refused');
      answer(null, null);
    },
  };
}

/** Returns the message for the cloud, or the reason why it is refused. */
function acceptedMessage(
  { limits }: BrokerState,
  client: Client,
  packet: PublishPacket,
): UpMessage | { refused: string } {
  const uuid = gatewayUuidSchema.safeParse(client.id);
  const parsed = parseTopic(packet.topic);
  if (!uuid.success || parsed?.direction !== 'up' || !mayGatewayPublish(uuid.data, packet.topic)) {
    return { refused: 'the topic is not of this gateway' };
  }
  if (packet.qos > 1) return { refused: 'QoS 2 is not spoken here' };
  if (packet.retain && parsed.channel !== 'presence') return { refused: 'only presence is retained' };
  const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
  const bytesMax = Math.min(limits.messageBytesMax, messageBytesMax(parsed.channel, payload));
  if (payload.byteLength > bytesMax) return { refused: `larger than ${bytesMax} bytes` };
  return { uuid: uuid.data, channel: parsed.channel, payload };
}
