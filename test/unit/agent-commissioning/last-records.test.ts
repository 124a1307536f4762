import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Identity, openIdentity } from '../../../agent/commissioning/identity.js';
import { handOverRecords } from '../../../agent/commissioning/last-records.js';
import { createStandingWatch } from '../../../agent/commissioning/standing.js';
import type { AgentStore } from '../../../agent/store/agent-store.js';
import { recordsIn } from '../../../agent/store/count-waiting.js';
import { openSqliteAgentStore } from '../../../agent/store/sqlite-agent-store.js';
import { cloudKeyOf } from '../../../cloud/equipment/gateway/cloud-key.js';
import { createSecrets } from '../../../cloud/kernel/secrets/secrets.js';
import {
  type LastRecords,
  lastRecordsAnswerText,
  standingAnswerText,
  type StandingQuestion,
} from '../../../shared/gateway-standing.js';
import { silentLogger } from '../../../shared/logger.js';
import { isSignedBy } from '../../../shared/node/signed-text.js';
import { lastRecordsText } from '../../../shared/gateway-standing.js';
import type { Ack, RecordBatch } from '../../../shared/uplink.js';
import { sightingEntry } from '../../world/agent-records.js';
import { FakeClock } from '../../world/fake-clock.js';
import { serveHttp } from './standing-server.js';

const REGISTERED = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';
const cloud = cloudKeyOf(createSecrets(Buffer.alloc(32, 1)));
const stranger = cloudKeyOf(createSecrets(Buffer.alloc(32, 2)));

let directory: string;
let server: Awaited<ReturnType<typeof serveHttp>>;
let identity: Identity;
let store: AgentStore;
let answer: (handed: LastRecords) => object | string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'last-records-'));
  server = await serveHttp((asked) => answer(asked as LastRecords));
  const mqtt = { url: 'mqtt://127.0.0.1', username: REGISTERED, password: 'secret', ca: null };
  identity = openIdentity(join(directory, 'identity.json')).joined({ url: server.url, mqtt });
  store = await openSqliteAgentStore({ path: join(directory, 'agent.db'), logger: silentLogger });
  for (let time = 0; time < 3; time += 1) await store.append(sightingEntry(time, time === 0 ? 0 : 1));
});
afterEach(async () => {
  await store.close();
  await server.close();
  rmSync(directory, { recursive: true });
});

const waiting = async () => recordsIn(await store.outboxState());
const signed = (key: typeof cloud, handed: LastRecords, ack: Ack | null) => ({
  ack,
  signature: key.sign(lastRecordsAnswerText(handed, ack)),
});
const ackOf = ({ batch }: LastRecords, more: Partial<Ack> = {}): Ack => {
  const { epoch, lane, records } = JSON.parse(batch) as RecordBatch;
  return { epoch, lane, seq: records.at(-1)?.seq ?? 0, gap: false, diverged: false, ...more };
};
const clock = new FakeClock();
const handOver = (signal = new AbortController().signal) =>
  handOverRecords({ identity, cloudKey: cloud.publicKey, store, clock, logger: silentLogger, signal });

describe('what was not sent by a device that is the gateway no more', () => {
  it('goes to its cloud lane by lane, signed, until nothing waits', async () => {
    const lanes: number[] = [];
    answer = (handed) => {
      expect(isSignedBy(handed.public_key, lastRecordsText(handed), handed.signature)).toBe(true);
      lanes.push(ackOf(handed).lane);
      return signed(cloud, handed, ackOf(handed));
    };
    await handOver();
    expect([lanes, await waiting()]).toEqual([[0, 1], 0]);
  });

  it('is handed over anew, once, to a cloud that does not know its numbers', async () => {
    const epochs = new Set<string>();
    answer = (handed) => {
      epochs.add(ackOf(handed).epoch);
      return signed(cloud, handed, epochs.size === 1 ? ackOf(handed, { seq: 0, gap: true }) : ackOf(handed));
    };
    await handOver();
    expect([epochs.size, await waiting()]).toEqual([2, 0]);
  });

  it('stays where the cloud takes nothing of it', async () => {
    answer = (handed) => signed(cloud, handed, null);
    await handOver();
    expect([server.count(), await waiting()]).toEqual([1, 3]);
  });

  it('is believed to be taken only by a signed answer, is handed over again until then, and given up in the end', async () => {
    answer = (handed) => signed(stranger, handed, ackOf(handed));
    const seen = { isOver: false };
    void handOver().then(() => (seen.isOver = true));
    const begun = clock.monotonic();
    while (!seen.isOver) {
      await expect.poll(() => seen.isOver || clock.pending > 0, { interval: 2 }).toBe(true);
      await clock.advance(5_000);
    }
    expect(clock.monotonic() - begun).toBeGreaterThanOrEqual(590_000);
    expect(await waiting()).toBe(3);
  });
});

describe('a device that its cloud says has been replaced', () => {
  it('ends once its records are handed over, and not when it is stopped before', async () => {
    answer = (asked) => {
      const question = asked as unknown as StandingQuestion;
      return { standing: 'replaced', signature: cloud.sign(standingAnswerText(question, 'replaced')) };
    };
    const ended: string[] = [];
    const steps: string[] = [];
    const watchOf = (handOverBy: (signal: AbortSignal) => Promise<void>) =>
      createStandingWatch({
        identity,
        cloudKey: () => cloud.publicKey,
        waiting,
        handOver: (_key, signal) => handOverBy(signal),
        onEnded: (why) => ended.push(why),
        clock,
        logger: silentLogger,
      });
    const stopped = watchOf(
      (signal) =>
        new Promise((_resolve, reject) => {
          steps.push('hands over');
          signal.addEventListener('abort', () => reject(new Error('stopped')));
        }),
    );
    stopped.brokerRefused();
    await expect.poll(() => steps, { interval: 2 }).toEqual(['hands over']);
    stopped.close();
    const whole = watchOf(async () => void steps.push(`before the end: ${ended.length}`));
    whole.brokerRefused();
    await expect.poll(() => ended, { interval: 2 }).toEqual(['replaced']);
    expect(steps).toEqual(['hands over', 'before the end: 0']);
  });
});
