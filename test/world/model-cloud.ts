/** The cloud's side of the uplink as `shared/uplink.ts` describes it, in memory; it crashes where a test says. */
import { parseTopic, upTopic } from '../../shared/topics.js';
import {
  type Ack,
  helloSchema,
  type Hello,
  type Lane,
  LANES,
  type Presence,
  presenceSchema,
  recordBatchSchema,
  type RecordBatch,
  type UplinkRecord,
  type Welcome,
} from '../../shared/uplink.js';
import type { GatewayUuid } from '../../shared/ids.js';
import type { Clock } from '../../shared/clock.js';

type Applied = UplinkRecord & { lane: Lane };

/** The rows of its database. */
interface CloudDatabase {
  /** `<epoch> <lane>` -> the last seq committed. */
  cursors: Map<string, number>;
  uids: Set<string>;
  applied: Applied[];
}

export interface ModelCloud {
  /** Records in the order they were applied. */
  readonly applied: Applied[];
  readonly hellos: Hello[];
  readonly presence: Presence | null;
  /** What happens to the next batches, one entry each; later batches are applied. */
  readonly mishaps: ('crash before commit' | 'crash after commit')[];
  /** Handles what the gateway published; the answers go to `send`. */
  handle(topic: string, payload: string): void;
  backup(): CloudDatabase;
  restore(database: CloudDatabase): void;
}

export function createModelCloud(options: {
  clock: Clock;
  gatewayUuid: GatewayUuid;
  send(channel: 'welcome' | 'ack', payload: Welcome | Ack): void;
}): ModelCloud {
  const { clock, gatewayUuid, send } = options;
  const mishaps: ModelCloud['mishaps'] = [];
  const hellos: Hello[] = [];
  let presence: Presence | null = null;
  let database: CloudDatabase = { cursors: new Map(), uids: new Set(), applied: [] };
  const cursorOf = (epoch: string, lane: Lane) => database.cursors.get(`${epoch} ${lane}`) ?? 0;

  function handleHello(hello: Hello): void {
    hellos.push(hello);
    const cursors = LANES.map((lane) => ({ lane, seq: cursorOf(hello.epoch, lane) }));
    send('welcome', { epoch: hello.epoch, cursors, cloud_ms: clock.now() });
  }

  function applyBatch({ epoch, lane, records }: RecordBatch): void {
    const mishap = mishaps.shift();
    if (mishap === 'crash before commit') return;
    let cursor = cursorOf(epoch, lane);
    let gap = false;
    if (records.some(({ seq, uid }) => seq <= cursor && !database.uids.has(uid))) {
      send('ack', { epoch, lane, seq: cursor, gap, diverged: true });
      return;
    }
    for (const record of records) {
      if (record.seq <= cursor) continue;
      gap = record.seq !== cursor + 1;
      if (gap) break;
      cursor = record.seq;
      if (database.uids.has(record.uid)) continue;
      database.uids.add(record.uid);
      database.applied.push({ ...record, lane });
    }
    database.cursors.set(`${epoch} ${lane}`, cursor);
    const seq = Math.min(cursor, records.at(-1)?.seq ?? 0);
    if (mishap === undefined) send('ack', { epoch, lane, seq, gap, diverged: false });
  }

  return {
    get applied() {
      return database.applied;
    },
    get presence() {
      return presence;
    },
    hellos,
    mishaps,
    handle(topic, payload) {
      const parsed = parseTopic(topic);
      if (parsed?.direction !== 'up') throw new Error(`the gateway published to ${topic}`);
      const message: unknown = JSON.parse(payload);
      if (topic !== upTopic(gatewayUuid, parsed.channel)) throw new Error(`${topic} is another gateway's`);
      if (parsed.channel === 'hello') handleHello(helloSchema.parse(message));
      if (parsed.channel === 'records') applyBatch(recordBatchSchema.parse(message));
      if (parsed.channel === 'presence') presence = presenceSchema.parse(message);
    },
    backup: () => structuredClone(database),
    restore(older) {
      database = structuredClone(older);
    },
  };
}
