/** Connections to the broker with passwords that are wrong: one CONNECT each, at a rate. */
import { connect } from 'node:net';
import { type AttackCounts, type AttackOrder, atRate, createCounts } from './attack.js';
import { draws } from './draws.js';
import { encodeConnect } from './mqtt-packets.js';

const CONNACK = 0x20;

/** Counts as `refused` the connections that were told so, and as `closed` those that were not. */
export async function connectWrongly(
  { port, ...rate }: { port: number; perSecond: number; inFlightMax: number },
  order: AttackOrder,
): Promise<AttackCounts> {
  const { counts, add } = createCounts();
  await atRate(rate, order, () => {
    const uuid = draws.uuid();
    const socket = connect({ port, host: order.to ?? '127.0.0.1', localAddress: order.from });
    const end = () => socket.destroy();
    order.signal.addEventListener('abort', end);
    let isNotified = false;
    socket.once('connect', () => {
      add('sent');
      socket.write(encodeConnect({ clientId: uuid, username: uuid, password: 'made-up password' }));
    });
    socket.once('data', (data) => {
      isNotified = data[0] === CONNACK;
      end();
    });
    socket.once('error', () => {});
    return new Promise((resolve) => {
      socket.once('close', () => {
        order.signal.removeEventListener('abort', end);
        if (!order.signal.aborted) add(isNotified ? 'refused' : 'closed');
        resolve();
      });
    });
  });
  return counts;
}
