/** Asks from REST to a real gateway and the simulated car park around it, over a real broker, and back. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { freePorts } from '../../world/free-ports.js';
import { TEST_SITE } from '../../world/site.js';
import { createWorld, type World } from '../../world/world.js';

interface Kept {
  state: string;
  reason: string | null;
  answer: object | null;
}
interface Setup {
  mode: string;
  changes: string[];
  by_hand: string[];
  is_done: 0 | 1;
}

const withSign = (yaml: string, port: number): string =>
  yaml.replace(
    '  - name: Rival Parking\n',
    `    rgb_displays:
      - name: Sign
        zone: Level 0
        gateway: Entrance Pi
        driver: http
        address: "http://127.0.0.1:${port}/lines"
        template: '{"line1": "{text}"}'
        stale_text: "P"
        rules:
          - {name: free, operator: gte, occupied_value: 0, display_text: "{free} FREE"}
  - name: Rival Parking
`,
  );

describe('what a connected gateway is asked', () => {
  let world: World;
  beforeAll(async () => {
    const [sign = 0] = await freePorts(1);
    world = await createWorld({
      driver: 'process',
      movesClock: true,
      hasBrokerSocket: true,
      alterSite: (yaml) => withSign(yaml, sign),
    });
  });
  afterAll(() => world?.close());

  /** Asks, and waits until it is over. What was asked before may be asked again by then. */
  async function asked<Answer>(path: string, body?: object): Promise<Kept & { answer: Answer }> {
    await world.moveClock(10_000);
    const { body: post } = await world.call<{ data: { asked_at: string } }>(
      'POST',
      path,
      body === undefined ? {} : { body },
    );
    return waitUntil(`the answer of ${path}`, async () => {
      const { body: got } = await world.api<{ data: (Kept & { asked_at: string; answer: Answer }) | null }>(path);
      return got.data !== null && got.data.asked_at >= post.data.asked_at && got.data.state !== 'asked' && got.data;
    });
  }

  it('finds the cameras of the car park, and says which are set up', async () => {
    const { state, answer } = await asked<{ cameras: object[] }>('/v2/gateways/1/camera-search');
    expect(state).toBe('answered');
    expect(answer.cameras).toHaveLength(2);
    expect(answer.cameras).toContainEqual(
      expect.objectContaining({ serial: TEST_SITE.entryCamera, driver: 'hikvision', lpr_camera_id: 1 }),
    );
  });

  it('hears the products around it', async () => {
    const { answer } = await asked<{ products: object[] }>('/v2/gateways/1/product-search');
    expect(answer).toMatchObject({ radio: 'on' });
    expect(answer.products).toContainEqual(
      expect.objectContaining({ device_id: TEST_SITE.barrier, product_type_id: 1, product_id: 1 }),
    );
  });

  it('plans the setup of a camera, makes it, and takes it back, without a secret in any answer', async () => {
    const path = '/v2/lpr-cameras/1/setup';
    const plan = await asked<Setup>(path, { mode: 'plan' });
    expect(plan).toMatchObject({ state: 'answered', answer: { mode: 'plan', is_done: 0 } });
    expect(plan.answer.changes.join()).toContain('push slot 2');
    const done = await asked<Setup>(path, { mode: 'apply' });
    expect(done.answer.changes).toHaveLength(plan.answer.changes.length);
    expect(done.answer).toMatchObject({ mode: 'apply', is_done: 1 });
    expect((await asked<Setup>(path, { mode: 'plan' })).answer.changes.join()).not.toContain('push slot');
    const back = await asked<Setup>(path, { mode: 'undo' });
    expect(back.answer.changes.length).toBeGreaterThan(0);
    expect((await asked<Setup>(path, { mode: 'plan' })).answer.changes.join()).toContain('push slot 2');
    for (const each of [plan, done, back]) {
      expect(JSON.stringify(each)).not.toContain('entry-push-key');
      expect(JSON.stringify(each)).not.toContain('secret');
    }
  });

  it('finds the address at which a camera reaches it', async () => {
    const { answer } = await asked<object>('/v2/lpr-cameras/1/probe');
    const host = new URL(world.agentUrl).host;
    expect(answer).toEqual({ is_there: 1, problem: null, hosts: [host] });
    const { body } = await world.call<{ data: object }>('POST', '/v2/lpr-cameras/1/push-address');
    expect(body.data).toEqual({ path: '/lpr/hikvision/cam-in-1/entry-push-key', key: 'entry-push-key', hosts: [host] });
  });

  it('says what each sensor says', async () => {
    const { answer } = await asked<{ places: object[] }>('/v2/parking-gateways/1/sensors');
    expect(answer).toMatchObject({ is_heard: 1, fault: null });
    expect(answer.places).toHaveLength(TEST_SITE.places.length);
    expect(answer.places[0]).toMatchObject({ parking_place_id: expect.any(Number), state: 'free', answers: 1 });
  });

  it('shows a text on a display, and says why one that is gone shows none', async () => {
    const { state, answer } = await asked<object>('/v2/rgb-displays/1/test', { text: 'HELLO' });
    expect([state, answer]).toEqual(['answered', { text: 'HELLO' }]);
    expect(await world.sim<{ text: string }>('GET', '/displays/Sign')).toMatchObject({ text: 'HELLO' });
    await world.call('PATCH', '/v2/rgb-displays/1', { body: { address: 'http://127.0.0.1:9/lines' } });
    const gone = () => asked<null>('/v2/rgb-displays/1/test', { text: 'HELLO' });
    expect(await waitUntil('the gateway to know', async () => (await gone()).state === 'failed')).toBe(true);
  });

  it('says why a camera that is gone cannot be set up', async () => {
    await world.sim('PATCH', `/cameras/${TEST_SITE.exitCamera}`, { online: false });
    const { state, reason, answer } = await asked<null>('/v2/lpr-cameras/2/setup', { mode: 'plan' });
    expect([state, answer]).toEqual(['failed', null]);
    expect(reason).not.toBeNull();
  });
});
