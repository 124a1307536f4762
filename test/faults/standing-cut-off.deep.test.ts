/**
 * A device that is the gateway no more, and is cut off while it hands over what it has or erases itself: it is what it was or a new one, and
 * its cloud gets each record once. The real program runs once on a disk that is traced; each state on the way is then started anew, and goes
 * on until it is erased.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDevice, orderErasure } from '../../agent/commissioning/data-erasure.js';
import { type Identity, openIdentity } from '../../agent/commissioning/identity.js';
import { handOverRecords } from '../../agent/commissioning/last-records.js';
import { createStandingWatch } from '../../agent/commissioning/standing.js';
import { countWaiting } from '../../agent/store/count-waiting.js';
import { openSqliteAgentStore } from '../../agent/store/sqlite-agent-store.js';
import { cloudKeyOf } from '../../cloud/equipment/gateway/cloud-key.js';
import { createSecrets } from '../../cloud/kernel/secrets/secrets.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { revisionOf } from '../../shared/config-revision.js';
import {
  type LastRecords,
  lastRecordsAnswerText,
  standingAnswerText,
  type StandingEnded,
  type StandingQuestion,
} from '../../shared/gateway-standing.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import type { RecordBatch } from '../../shared/uplink.js';
import { serveHttp } from '../unit/agent-commissioning/standing-server.js';
import { sightingEntry } from '../world/agent-records.js';
import { freePorts } from '../world/free-ports.js';
import { createCutDevice, type CutDevice, hasText } from './cut-device.js';
import { filesOf } from './cut-offs.js';
import { hasCompiler } from './disk-shim.js';

const REGISTERED = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';
const SECRET = 'mqtt-secret';
const NAME = 'Entrance Pi';
const RECORDS = 3;
/** CONNACK of MQTT 3.1.1: not authorized. */
const REFUSAL = Buffer.from([0x20, 2, 0, 5]);
const cloudKey = cloudKeyOf(createSecrets(Buffer.alloc(32, 1)));

let directory: string;
let device: CutDevice;
let port: number;
let broker: Server;
let cloud: Awaited<ReturnType<typeof serveHttp>>;
let standing: StandingEnded;
/** The numbers under which the cloud got each record: it recognises a record by them. */
let numbers: Map<string, Set<string>>;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'standing-cut-off-'));
  [port = 0] = await freePorts(1);
  device = createCutDevice(directory, port);
  broker = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(REFUSAL));
  });
  await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve));
  numbers = new Map();
  cloud = await serveHttp((asked) =>
    'batch' in (asked as object) ? answerBatch(asked as LastRecords) : answerStanding(asked as StandingQuestion),
  );
});
afterEach(async () => {
  await cloud.close();
  await new Promise((resolve) => broker.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

const answerStanding = (asked: StandingQuestion) => ({
  standing,
  signature: cloudKey.sign(standingAnswerText(asked, standing)),
});

function answerBatch(handed: LastRecords) {
  const { epoch, lane, records } = JSON.parse(handed.batch) as RecordBatch;
  // A gateway that was deleted has nothing that records could be of.
  if (standing === 'deleted') return { ack: null, signature: cloudKey.sign(lastRecordsAnswerText(handed, null)) };
  for (const { uid, seq } of records) numbers.set(uid, (numbers.get(uid) ?? new Set()).add(`${epoch} ${lane} ${seq}`));
  const ack = { epoch, lane, seq: records.at(-1)?.seq ?? 0, gap: false, diverged: false };
  return { ack, signature: cloudKey.sign(lastRecordsAnswerText(handed, ack)) };
}

async function makeClaimed(): Promise<Identity> {
  const url = `mqtt://127.0.0.1:${(broker.address() as AddressInfo).port}`;
  const mqtt = { url, username: REGISTERED, password: SECRET, ca: null };
  const identity = openIdentity(device.identityFile).joined({ url: cloud.url, mqtt });
  const store = await openSqliteAgentStore({ path: device.configOf().databaseFile, logger: silentLogger });
  const self = {
    gateway_id: 1,
    name: NAME,
    lot_id: 1,
    lot_name: 'North',
    timezone: 'UTC',
    offline_exit: 'open',
    autonomy_days: 31,
    other_gateways_count: 0,
    cloud_key: cloudKey.publicKey,
  };
  await store.applyConfig({
    section: 'gateway',
    base: null,
    revision: revisionOf([['self', self]]),
    upsert: { self },
    remove: [],
    applied: null,
  });
  for (let time = 0; time < RECORDS; time += 1) await store.append(sightingEntry(time, time === 0 ? 0 : 1));
  await store.close();
  return identity;
}

/** Goes on as a gateway that its broker refuses, until it is erased. */
async function endStanding(identity: Identity): Promise<void> {
  const config = device.configOf();
  const store = await openSqliteAgentStore({ path: config.databaseFile, logger: silentLogger });
  const why = await new Promise<StandingEnded>((resolve) => {
    const parts = { identity, clock: systemClock, logger: silentLogger };
    createStandingWatch({
      ...parts,
      cloudKey: () => cloudKey.publicKey,
      waiting: () => countWaiting(store),
      handOver: (key, signal) => handOverRecords({ ...parts, cloudKey: key, store, signal }),
      onEnded: resolve,
    }).brokerRefused();
  });
  await store.close();
  orderErasure(config, { why, at_ms: systemClock.now() });
  await openDevice(config, { logger: silentLogger });
}

interface Status {
  claim: { former: { why: string } | null };
}

describe.runIf(hasCompiler())('a device that is the gateway no more, and is cut off at any step', () => {
  it.each<[StandingEnded, number, RegExp]>([
    // Each acknowledgement is a state of its own; the ballast and the index of the log hold nothing.
    ['replaced', RECORDS, /ballast|-shm/],
    ['deleted', 0, /agent\.db/],
  ])(
    'when it was %s is as it was, or erased, and has handed over each record once',
    async (why, handedOver, asOne) => {
      standing = why;
      const { publicKey } = await makeClaimed();
      const status = async () => (await (await fetch(`http://127.0.0.1:${port}/status`)).json()) as Status;
      const states = await device.traced(['run'], {
        act: () => waitUntil('it to be erased', async () => (await status()).claim.former?.why === why),
        asOne,
      });
      const seen = await device.startEach(states, async () => {
        const { identity, pending } = await device.startAnew();
        const isOld = identity.publicKey === publicKey;
        if (isOld) {
          expect(identity).toMatchObject({ uuid: REGISTERED, cloud: { url: cloud.url } });
          await endStanding(identity);
        } else {
          expect(identity).toMatchObject({ cloud: null, former: { why } });
        }
        for (const text of [NAME, SECRET]) expect(hasText(filesOf(device.disk), text)).toBe(false);
        return isOld ? `old, ${pending} wait` : 'erased';
      });
      expect(Object.keys(seen)).toEqual(expect.arrayContaining(['erased', `old, ${RECORDS} wait`]));
      expect([...numbers.values()].map(({ size }) => size)).toEqual(Array.from({ length: handedOver }, () => 1));
    },
    600_000,
  );
});
