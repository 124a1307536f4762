import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerDigest } from '../../../agent/lpr/formats/digest-access.js';
import { hikvisionPush } from '../../../agent/lpr/hikvision/hikvision-push.js';
import { CAMERA_PAYLOADS, mutatedPayload } from '../../attack/camera-payloads.js';
import { runs } from '../../depth.js';
import { cameraFixture } from './camera-fixture.js';
import { startStepCounter, type StepCounter } from './count-steps.js';
import { jpegLike, multipartBody, part, STRICT } from './multipart-builder.js';

const CAMERA = { timezone: 'Europe/Zagreb' };
const SIZE = 128 * 1024;
/** A byte is looked at a few times: for the boundary, for the boundary without its dashes, as part of a line or a tag. */
const STEPS_PER_BYTE_MAX = 12;
/** What any push costs, however small. */
const STEPS_OF_A_PUSH = 2_000;
const SAMPLES_AT_ONCE = 200;

let counter: StepCounter;
beforeAll(async () => {
  counter = await startStepCounter('/agent/lpr/');
});
afterAll(() => counter.close());

const stepsOf = (payloads: { contentType: string; body: Buffer }[]): Promise<number> =>
  counter.count(() => {
    for (const { contentType, body } of payloads) hikvisionPush.parse({ contentType, body, camera: CAMERA });
  });

describe('what a hostile camera posts', () => {
  it.each(Object.keys(CAMERA_PAYLOADS))('costs no more than a few steps for each byte: %s', async (name) => {
    const payload = CAMERA_PAYLOADS[name]!(SIZE);
    const steps = await stepsOf([payload]);
    expect(steps).toBeLessThan(STEPS_OF_A_PUSH + STEPS_PER_BYTE_MAX * payload.body.length);
  });

  const pushes = ['anpr-forward.xml', 'anpr-prefixed-reverse.xml', 'anpr-no-plate.xml', 'heartbeat.xml', 'motion.xml']
    .map((name) => cameraFixture('hikvision', name))
    .flatMap((xml) => [
      { contentType: 'application/xml', body: Buffer.from(xml) },
      {
        contentType: 'multipart/form-data; boundary=MIME_boundary',
        body: multipartBody(
          [
            part('anpr.xml', 'application/xml', xml),
            part('licensePlatePicture.jpg', 'image/jpeg', jpegLike('a picture\r\n--MIME_boundary\r\nof lines')),
          ],
          STRICT,
        ),
      },
    ]);

  it('is parsed without an exception, and in steps that its size allows, however a real push is mutated', async () => {
    const count = runs(400, 250);
    const seed = Date.now() % 0x7fffffff;
    const samples = fc.sample(mutatedPayload(pushes), { numRuns: count, seed });
    for (let at = 0; at < samples.length; at += SAMPLES_AT_ONCE) {
      const some = samples.slice(at, at + SAMPLES_AT_ONCE);
      const bytes = some.reduce((sum, { body }) => sum + body.length, 0);
      const steps = await stepsOf(some);
      expect(steps, `samples from ${at}, seed ${seed}`).toBeLessThan(
        SAMPLES_AT_ONCE * STEPS_OF_A_PUSH + STEPS_PER_BYTE_MAX * bytes,
      );
    }
    process.stdout.write(`mutated pushes: ${count}, seed ${seed}\n`);
  });
});

describe('what a hostile camera answers to a probe', () => {
  const request = { method: 'GET', uri: '/', username: 'a', password: 'b', cnonce: 'c' };

  /** A search that began at each character would need half a minute for these. */
  it.each([
    ['a name without a value', 'a'.repeat(300_000)],
    ['names without values', 'a '.repeat(150_000)],
    ['blanks behind a name', `a${' '.repeat(300_000)}`],
    ['quotes without end', `a="${'b="'.repeat(100_000)}`],
    ['commas and blanks', ', '.repeat(150_000)],
  ])('is no digest challenge, and is searched once: %s', (_, text) => {
    expect(answerDigest(`Digest nonce="n", ${text}`, request)).toMatch(/^Digest username="a"/);
  });

  it('names no hash that every object has', () => {
    expect(answerDigest('Digest nonce="n", algorithm=constructor', request)).toBeNull();
  });
});
