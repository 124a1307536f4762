import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cloudKeyOf } from '../../../cloud/equipment/gateway/cloud-key.js';
import { createSecrets } from '../../../cloud/kernel/secrets/secrets.js';
import { type Identity, openIdentity } from '../../../agent/commissioning/identity.js';
import { askStanding, createStandingWatch } from '../../../agent/commissioning/standing.js';
import { standingAnswerText, type Standing, type StandingQuestion } from '../../../shared/gateway-standing.js';
import { serveHttp } from './standing-server.js';
import { FakeClock } from '../../world/fake-clock.js';
import { rawPublicKey } from '../../world/raw-public-key.js';
import { keepingLogger } from '../radio/bench.js';

const REGISTERED = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';
const cloud = cloudKeyOf(createSecrets(Buffer.alloc(32, 1)));
const stranger = cloudKeyOf(createSecrets(Buffer.alloc(32, 2)));

let directory: string;
let server: Awaited<ReturnType<typeof serveHttp>>;
let identity: Identity;
/** What is answered to a question. */
let answer: (asked: StandingQuestion) => { standing: Standing; signature: string } | string;

const signedBy =
  (key: typeof cloud, standing: Standing, said: Standing = standing) =>
  (asked: StandingQuestion) => ({ standing: said, signature: key.sign(standingAnswerText(asked, standing)) });

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'standing-'));
  server = await serveHttp((asked) => answer(asked as StandingQuestion));
  const mqtt = { url: 'mqtt://127.0.0.1', username: REGISTERED, password: 'secret', ca: null };
  identity = openIdentity(join(directory, 'identity.json')).joined({ url: server.url, mqtt });
});
afterEach(async () => {
  await server.close();
  rmSync(directory, { recursive: true });
});

const ask = () => askStanding({ identity, cloudKey: cloud.publicKey, waiting: 3, leaves: false });

describe('the question whether a device is still its gateway', () => {
  it('is signed by the device, and answered by its cloud', async () => {
    const asked: StandingQuestion[] = [];
    answer = (question) => {
      asked.push(question);
      return signedBy(cloud, 'replaced')(question);
    };
    expect([await ask(), await ask()]).toEqual(['replaced', 'replaced']);
    expect(asked[0]).toMatchObject({ uuid: REGISTERED, public_key: identity.publicKey, waiting: 3, leaves: false });
    expect(asked[0]?.nonce).not.toBe(asked[1]?.nonce);
  });

  it('is answered by nobody else, nor by what the cloud said to another question', async () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const other = rawPublicKey(publicKey);
    const forgeries: (typeof answer)[] = [
      signedBy(stranger, 'replaced'),
      signedBy(cloud, 'current', 'replaced'),
      (asked) => signedBy(cloud, 'replaced')({ ...asked, nonce: 'A'.repeat(43) }),
      (asked) => signedBy(cloud, 'replaced')({ ...asked, public_key: other }),
    ];
    for (const forged of forgeries) {
      answer = forged;
      await expect(ask()).rejects.toThrow('not signed by the cloud of this gateway');
    }
    for (const page of ['<html>', 'x'.repeat(10_000)]) {
      answer = () => page;
      await expect(ask()).rejects.toThrow(/not that of a cloud|longer than/);
    }
  });
});

describe('a gateway that its broker refuses', () => {
  it('asks once a minute at most, and ends only by a signed end', async () => {
    const clock = new FakeClock();
    const { logger, messages } = keepingLogger();
    const ended: string[] = [];
    const watch = createStandingWatch({
      identity,
      cloudKey: () => cloud.publicKey,
      waiting: async () => 0,
      handOver: () => Promise.reject(new Error('nothing waits')),
      onEnded: (why) => ended.push(why),
      clock,
      logger,
    });
    answer = signedBy(stranger, 'replaced');
    for (let times = 0; times < 5; times += 1) watch.brokerRefused();
    await expect.poll(() => messages, { interval: 5 }).toHaveLength(1);
    expect(server.count()).toBe(1);
    answer = signedBy(cloud, 'current');
    await clock.advance(60_000);
    watch.brokerRefused();
    await expect.poll(server.count, { interval: 5 }).toBe(2);
    answer = signedBy(cloud, 'reset');
    await clock.advance(60_000);
    watch.brokerRefused();
    await expect.poll(() => ended, { interval: 5 }).toEqual(['reset']);
  });
});
