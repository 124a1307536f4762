/** The connections of the embedded broker: follows which there are, sends to one, and limits what one may send at once. */
import type { Socket } from 'node:net';
import type { Aedes, Client, PublishPacket } from 'aedes';
import { type BrokerState, namesOf, RETURN_CODE } from './aedes-state.js';
import { errorText } from '../../../shared/error-text.js';
import { parseTopic } from '../../../shared/topics.js';
import { messageBytesMax } from '../../../shared/uplink-bounds.js';
import { INITIAL_LENGTH_STATE, type LengthState, nextLength, type PacketHead } from './mqtt-length-machine.js';

/** Keeps `connected` and `newest` up to date, and logs each connect and disconnect. */
export function followConnections(state: BrokerState, aedes: Aedes): void {
  const { connected, newest, peers, refused, terminals, outsiders } = state;
  const logLink = (client: Client, isConnected: boolean) => {
    const key = terminals.keyOf(client.id);
    const text = isConnected ? 'connected' : 'disconnected';
    // Log lines of a gateway are bounded by its proven id. Anybody can invent terminals, whose lines are bounded by address.
    if (key === null) outsiders.from(client.id).info({ uuid: client.id }, `gateway ${text}`);
    else outsiders.from(peers.get(client)?.remote).info({ client_id: client.id }, `terminal ${text}`);
  };
  aedes.on('connackSent', (packet, client) => {
    // aedes emits this also for a connection that was closed while it was being accepted, and emits no disconnect for it afterwards.
    if (packet.returnCode !== RETURN_CODE.accepted || client.closed) return;
    const replaced = connected.get(client.id);
    connected.set(client.id, client);
    // aedes forgets the old connection when a newer one dies while it is being made, and would leave the old one open.
    if (replaced !== undefined && !replaced.closed) replaced.close();
    const key = terminals.keyOf(client.id);
    if (key !== null) terminals.cameOrWent(key, true);
    logLink(client, true);
  });
  aedes.on('clientDisconnect', (client) => {
    const key = terminals.keyOf(client.id);
    if (key !== null && connected.get(client.id) === client) terminals.cameOrWent(key, false);
    if (connected.get(client.id) === client) connected.delete(client.id);
    if (newest.get(client.id) === client) newest.delete(client.id);
    logLink(client, false);
  });
  aedes.on('clientError', (client, error) => {
    if (refused.has(client)) return;
    const peer = peers.get(client);
    outsiders.from(peer?.remote).warn({ uuid: peer?.client_id, reason: errorText(error) }, 'gateway link ended');
  });
  // The broker itself refused the client (protocol, keepalive), or it was no MQTT client.
  aedes.on('connectionError', (client, error) => {
    const peer = peers.get(client);
    outsiders.from(peer?.remote).warn({ ...namesOf(peer), reason: errorText(error) }, 'connection refused');
  });
}

/** Sends to a connection at once. @returns false when nobody is connected under this name */
export async function publishTo(
  { connected, limits, terminals, outsiders }: BrokerState,
  clientId: string,
  { topic, payload }: { topic: string; payload: string },
): Promise<boolean> {
  const client = connected.get(clientId);
  if (client === undefined || client.closed) return false;
  const waiting_bytes = client.conn.writableLength;
  if (waiting_bytes > limits.sendBufferBytesMax) {
    const who = terminals.keyOf(clientId) === null ? 'gateway' : 'terminal';
    outsiders
      .from(clientId)
      .warn({ client_id: clientId, waiting_bytes }, `${who} reads too slowly and is disconnected`);
    await closeClient(client);
    return false;
  }
  const packet: PublishPacket = { cmd: 'publish', topic, payload, qos: 0, retain: false, dup: false };
  // The packet goes directly to the client: in the broker's matcher, one stalled gateway would hold up all others.
  await new Promise<void>((resolve, reject) => {
    client.publish(packet, (error) => (error ? reject(error) : resolve()));
  });
  return true;
}

/**
 * Cuts off a connection that sends a packet that is too long. It sees each piece before the broker's parser does, because the read that
 * the parser's listener makes emits 'data' first.
 */
export function refuseLongPackets(
  { limits, terminals, peers, outsiders }: BrokerState,
  { socket, client }: { socket: Socket; client: Client },
): void {
  let length: LengthState = INITIAL_LENGTH_STATE;
  socket.on('data', (bytes: Uint8Array) => {
    // Besides the payload a packet holds its topic and number.
    const isGateway = client.connected && terminals.keyOf(client.id) === null;
    const payloadBytesMax = isGateway ? limits.messageBytesMax : client.connected ? limits.connectBytesMax : 0;
    const bytesMax = payloadBytesMax + limits.connectBytesMax;
    const judge = isGateway ? problemOfGateway : () => null;
    const next = nextLength(length, bytes, { bytesMax, judgedFrom: limits.connectBytesMax, judge });
    if ('state' in next) {
      length = next.state;
      return;
    }
    const remote = peers.get(client)?.remote;
    outsiders.from(remote).warn({ remote, reason: next.refused }, 'MQTT packet refused');
    socket.destroy(new Error(next.refused));
  });
}

const PUBLISH = 3;

/** Says why a long packet of a gateway is refused: only messages are long, each at most as its topic and its beginning allow. */
function problemOfGateway({ first, length, head }: PacketHead): string | null {
  if (first >> 4 !== PUBLISH) return `a packet of ${length} bytes that is no message`;
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const topicEnd = 2 + bytes.readUInt16BE();
  const topic = parseTopic(bytes.subarray(2, topicEnd).toString('latin1'));
  if (topic?.direction !== 'up') return `a message of ${length} bytes that is not of a gateway`;
  // A message that is acknowledged has a number.
  const from = topicEnd + ((first & 0b110) === 0 ? 0 : 2);
  const bytesMax = messageBytesMax(topic.channel, bytes.subarray(from));
  return length - from > bytesMax ? `a message of ${length - from} bytes, allowed are ${bytesMax}` : null;
}

export function closeClient(client: Client): Promise<void> {
  return new Promise((resolve) => client.close(() => resolve()));
}
