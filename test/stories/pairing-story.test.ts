import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProductDeviceId } from '../../shared/ids.js';
import { labelSecretOf } from '../../scripts/sim/products/product-label.js';
import { openingsSince } from '../world/openings.js';
import type { RealtimeListener } from '../world/realtime-listener.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

const GATE_ID = 2;
const LABEL_SECRET = Buffer.from(labelSecretOf(TEST_SITE.gate as ProductDeviceId)).toString('hex');

describe('pairing story: a product out of its box is paired over the air, and obeys', () => {
  let world: World;
  let stream: RealtimeListener;

  beforeAll(async () => {
    world = await createWorld({ isGatePaired: false });
    stream = await world.listen();
  });
  afterAll(async () => {
    await stream?.close();
    await world?.close();
  });

  const post = (path: string, body: object, statuses: readonly number[] = [200]) =>
    world.call<{ data: { event_id: string }; errors?: { code: number }[] }>('POST', `/v2/products/${GATE_ID}/${path}`, {
      body,
      statuses,
    });
  /** Waits until the call is accepted: until the cloud has heard of the product, and of what was before. */
  const postAccepted = (path: string, body: object) =>
    waitUntil(`${path} to be taken`, async () => (await post(path, body)).body.data.event_id);
  const endOf = (event_id: string) =>
    waitUntil(`the end of ${event_id}`, () => stream.heard.find(({ payload }) => payload.event_id === event_id));
  const attemptsOf = async (event_id: string) =>
    (await world.call<{ data: object }>('GET', `/v2/commands/${event_id}`)).body.data;

  it('obeys nobody before it is paired', async () => {
    expect(await post('state', { operation: 'open' }, [403])).toMatchObject({ body: { errors: [{ code: 704 }] } });
  });

  it('is not paired by somebody who does not know its label', async () => {
    const event_id = await postAccepted('pair', { label_secret: '00'.repeat(16) });
    expect(await endOf(event_id)).toMatchObject({
      event: 'gateway_error',
      payload: { type: 0, message: 'Auth error' },
    });
    expect(await attemptsOf(event_id)).toMatchObject({ operation: 'pair', status: 'failed' });
    expect(await post('state', { operation: 'open' }, [403])).toMatchObject({ body: { errors: [{ code: 704 }] } });
  });

  it('is paired by somebody who does, and opens', async () => {
    const event_id = await postAccepted('pair', { label_secret: LABEL_SECRET.toUpperCase() });
    expect(await endOf(event_id)).toMatchObject({
      event: 'lot_change',
      payload: { data: { id: GATE_ID, device_id: TEST_SITE.gate } },
    });
    expect(await attemptsOf(event_id)).toMatchObject({
      operation: 'pair',
      status: 'succeeded',
      attempts: [{ gateway_uuid: TEST_SITE.gatewayUuid, outcome: 'succeeded' }],
    });
    expect(await endOf(await postAccepted('state', { operation: 'open' }))).toMatchObject({
      event: 'lot_change',
      payload: { data: { gate: { state: 'opened' } } },
    });
    const gate = await world.sim<{ moves: number }>('GET', `/products/${TEST_SITE.gate}`);
    expect(openingsSince({ moves: 0 }, gate)).toBe(1);
  });

  it('is not paired again while it has a key, which stays in force', async () => {
    const event_id = await postAccepted('pair', { label_secret: LABEL_SECRET });
    expect(await endOf(event_id)).toMatchObject({ event: 'gateway_error', payload: { type: 1 } });
    expect(await endOf(await postAccepted('state', { operation: 'close' }))).toMatchObject({
      event: 'lot_change',
      payload: { data: { gate: { state: 'closed' } } },
    });
  });
});
