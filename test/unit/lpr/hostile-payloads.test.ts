import * as fc from '../../property.js';
import { SEED } from '../../seed.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerDigest } from '../../../agent/lpr/formats/digest-access.js';
import { createStreamSplitter } from '../../../agent/lpr/formats/stream-splitter.js';
import { withText } from '../../../agent/lpr/formats/xml-parser.js';
import { decideHostChange } from '../../../agent/lpr/hikvision/decide-hikvision-setup.js';
import { hikvisionPush } from '../../../agent/lpr/hikvision/hikvision-push.js';
import { parsePulledMessages } from '../../../agent/lpr/onvif/onvif-parser.js';
import { CAMERA_PAYLOADS, mutatedPayload, PULLED_PAYLOADS } from '../../attack/camera-payloads.js';
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
    const samples = fc.sample(mutatedPayload(pushes), { numRuns: count });
    for (let at = 0; at < samples.length; at += SAMPLES_AT_ONCE) {
      const some = samples.slice(at, at + SAMPLES_AT_ONCE);
      const bytes = some.reduce((sum, { body }) => sum + body.length, 0);
      const steps = await stepsOf(some);
      expect(steps, `samples from ${at}, seed ${SEED}`).toBeLessThan(
        SAMPLES_AT_ONCE * STEPS_OF_A_PUSH + STEPS_PER_BYTE_MAX * bytes,
      );
    }
    process.stdout.write(`mutated pushes: ${count}, seed ${SEED}\n`);
  });
});

describe('what a hostile ONVIF camera answers', () => {
  /** A tag is gone through to find its end, and once more for its attributes: is this a blank, an equals, a quote? */
  const STEPS_PER_CHARACTER_MAX = 20;

  it.each(Object.keys(PULLED_PAYLOADS))('costs no more than a few steps for each character: %s', async (name) => {
    const xml = PULLED_PAYLOADS[name]!(SIZE);
    const steps = await counter.count(() => {
      expect(parsePulledMessages(xml).reads).toMatchObject([{ raw_plate: 'ZG4821AB' }]);
    });
    expect(steps).toBeLessThan(STEPS_OF_A_PUSH + STEPS_PER_CHARACTER_MAX * xml.length);
  });

  /** What regular expressions do is no step that is counted: beginning anew at each character, these would need minutes. */
  it.each(Object.keys(PULLED_PAYLOADS))('is read as long as it may be: %s', (name) => {
    const xml = PULLED_PAYLOADS[name]!(1_900_000);
    expect(parsePulledMessages(xml).reads).toMatchObject([{ raw_plate: 'ZG4821AB' }]);
  });
});

describe('what a hostile camera streams', () => {
  const HEAD = '--b\r\nContent-Type: image/jpeg\r\n\r\n';

  it.each([
    ['a part without a length, in large chunks', HEAD, 'x', 16_384],
    ['a part without a length, in small chunks', HEAD, 'x', 100],
    ['a part that is nearly over again and again', HEAD, '\n--', 1_000],
    ['a part of the length that it says', `--b\r\nContent-Length: ${4 * SIZE}\r\n\r\n`, '\n--b', 1_000],
  ])('costs no more than a few steps for each byte: %s', async (_, head, filling, chunkBytes) => {
    const content = Buffer.from(filling.repeat((4 * SIZE) / filling.length));
    const stream = Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n--b\r\n\r\n')]);
    let bytes = 0;
    const steps = await counter.count(() => {
      const splitter = createStreamSplitter('multipart/mixed; boundary=b');
      for (let at = 0; at < stream.length; at += chunkBytes)
        for (const { content: found } of splitter.push(stream.subarray(at, at + chunkBytes))) bytes += found.length;
    });
    expect(bytes).toBe(content.length);
    expect(steps).toBeLessThan(STEPS_OF_A_PUSH + STEPS_PER_BYTE_MAX * stream.length);
  });
});

describe('what a hostile camera says of its settings', () => {
  it.each([
    ['tags that are never closed', '<url '.repeat(400_000)],
    ['tags of one long attribute', `<url ${'a'.repeat(2_000_000)}`],
    ['prefixes', `<${'a:'.repeat(1_000_000)}`],
    ['texts without end', '<url>'.repeat(400_000)],
  ])('is searched once: %s', (_, xml) => {
    expect(withText(xml, 'url', '/lpr')).toContain('<url>/lpr</url>');
    expect(decideHostChange(xml, new URL('http://gateway/lpr'))).toMatchObject({ kind: 'by hand' });
    expect(decideHostChange(`<HttpHostNotification ${xml}`, new URL('http://gateway/lpr')).kind).toBe('by hand');
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
