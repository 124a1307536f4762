/** What a thief sends with the credential of one gateway, as fast as its broker reads. */
import { connect } from 'node:net';
import { type AttackCounts, type AttackOrder, createCounts, pause } from './attack.js';
import { draws } from './draws.js';
import { encodeConnect, encodePublish } from './mqtt-packets.js';

/** The stolen gateway, with the things of its lot that records may name. */
export interface StolenGateway {
  uuid: string;
  password: string;
  lpr_camera_id: number;
  zone_id: number;
  product_id: number;
  product_device_id: string;
}

export type GatewayFlood = keyof typeof FLOODS;

interface FloodMessage {
  channel: 'records' | 'report';
  text: string;
}

/** Opens one connection at a time, again after the broker closed it. Counts the messages and bytes that were `sent`. */
export async function floodAsGateway(
  { port, gateway, flood }: { port: number; gateway: StolenGateway; flood: GatewayFlood },
  order: AttackOrder,
): Promise<AttackCounts> {
  const { counts, add } = createCounts();
  const next = FLOODS[flood](gateway);
  while (!order.signal.aborted) {
    const socket = connect({ port, host: order.to ?? '127.0.0.1', localAddress: order.from });
    socket.resume();
    socket.once('error', () => {});
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const end = () => socket.destroy();
    order.signal.addEventListener('abort', end);
    const { uuid, password } = gateway;
    socket.write(encodeConnect({ clientId: uuid, username: uuid, password }));
    while (!socket.closed && !order.signal.aborted) {
      const { channel, text } = next();
      const packet = encodePublish(`gw/${uuid}/up/${channel}`, text);
      const isFree = socket.write(packet);
      add('sent');
      add('bytes', packet.length);
      if (!isFree) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
    }
    order.signal.removeEventListener('abort', end);
    end();
    await closed;
    if (!order.signal.aborted) add('closed by peer');
    await pause(100, order.signal);
  }
  return counts;
}

const LONG = 'x'.repeat(10_000_000);
const PICTURE_BYTES = 300_000;
const NESTED = 1_000_000;
const REPORTED_TIMES = 30_000;

const FLOODS = {
  /** One text of ten million characters in a read. */
  'long strings': (gateway: StolenGateway) => recordsOf(0, (batch) => batch([readOf(gateway, { make: LONG })])),
  /** Pictures whose seq lies far ahead: none of them can be accepted. */
  'far pictures': () => {
    const data = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), draws.bytes(PICTURE_BYTES)]).toString('base64');
    const picture = () => ({ kind: 'image', owner_uid: draws.uid(), role: 'full', mime: 'image/jpeg', data });
    return recordsOf(2, (batch) => batch([picture()]), 1_000_000_000);
  },
  /** One product, reported again and again in one message. */
  'repeated report': ({ product_id, product_device_id }: StolenGateway) => {
    const report = (index: number) => ({
      product_id,
      device_id: product_device_id,
      status: index % 2 === 0 ? 'online' : 'offline',
      state: 'closed',
      permanent_position: 'disabled',
      is_car_on_top: false,
      is_autoclose: true,
      autoclose_time: 10,
      battery_status: index % 100,
      rssi: -60,
      errors: 0,
      advertisement_data: null,
      seen_ago_ms: 0,
    });
    const text = JSON.stringify({ products: Array.from({ length: REPORTED_TIMES }, (_, index) => report(index)) });
    return (): FloodMessage => ({ channel: 'report', text });
  },
  /** A payload nested so deep that whoever walks it by recursion has no stack left. */
  'deep nesting': () => {
    const epoch = draws.hex(32);
    const nested = `${'['.repeat(NESTED)}${']'.repeat(NESTED)}`;
    return (): FloodMessage => {
      const record = JSON.stringify(recordOf(1, 'nested')).replace('"nested"', () => nested);
      return { channel: 'records', text: `{"epoch":"${epoch}","lane":0,"records":[${record}]}` };
    };
  },
  /** Reads as they should be, a hundred in each batch. */
  'small batches': (gateway: StolenGateway) =>
    recordsOf(0, (batch) => batch(Array.from({ length: 100 }, () => readOf(gateway, {})))),
};

/** Numbers the records that a message holds, beginning with `firstSeq`. */
function recordsOf(
  lane: 0 | 1 | 2,
  build: (batch: (payloads: unknown[]) => string) => string,
  firstSeq = 1,
): () => FloodMessage {
  const epoch = draws.hex(32);
  let seq = firstSeq;
  const batch = (payloads: unknown[]) =>
    JSON.stringify({ epoch, lane, records: payloads.map((payload) => recordOf(seq++, payload)) });
  return () => ({ channel: 'records', text: build(batch) });
}

const boot_id = draws.uid();

function recordOf(seq: number, payload: unknown) {
  return { seq, uid: draws.uid(), boot_id, mono_ms: seq, wall_ms: Date.now(), clock_ok: true, payload };
}

function readOf({ lpr_camera_id, zone_id }: StolenGateway, change: Record<string, unknown>) {
  const plate = `AT${draws.hex(6).toUpperCase()}`;
  return {
    kind: 'plate_read',
    reading: {
      lpr_camera_id,
      zone_id,
      plate,
      raw_plate: plate,
      confidence: 0.9,
      direction: 'out',
      type: 'car',
      make: null,
      color: null,
      model: null,
      country_code: null,
      plate_side: 'front',
      lpr_camera_direction: 'out',
      vendor_event_id: null,
      event_ms: Date.now(),
      retransmission: false,
      images: [],
      ...change,
    },
    access_decision: 'denied',
    access_decision_reason: 'no_active_session',
    session: null,
    lot_entry: { is_allowed: false },
    opening: null,
  };
}
