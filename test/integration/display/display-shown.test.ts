/** What displays would show and do show, over REST. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GUARD_TOKEN } from '../http/http-site.js';
import { type RestWorld, RIVAL_TOKEN, startRestWorld } from '../http/rest-world.js';
import { productReportsOf } from '../../world/product-reports.js';

let world: RestWorld;
let display: number;
let rules: number[];

const UUID = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c09';

beforeAll(async () => {
  world = await startRestWorld();
  const gateway = await world.post<{ id: number }>('/v2/gateways', {
    name: 'Pi',
    lot_id: world.site.north,
    uuid: UUID,
  });
  const zone = await world.post<{ id: number }>('/v2/zones', {
    lot_id: world.site.north,
    name: 'Deck',
    spot_count: 10,
  });
  display = (
    await world.post<{ id: number }>('/v2/rgb-displays', {
      name: 'Sign',
      zone_id: zone.id,
      gateway_id: gateway.id,
      driver: 'http',
      address: 'http://127.0.0.1:9/show?t={text}',
      stale_text: 'P',
    })
  ).id;
  await world.post('/v2/sessions', { zone_id: zone.id, entry_license_plate: 'ZG 1 A' });
  const ruleOf = async (rule: object) =>
    (await world.post<{ id: number }>('/v2/rgb-display-rules', { rgb_display_id: display, ...rule })).id;
  rules = [
    await ruleOf({ name: 'full', operator: 'gte', occupied_value: 10, display_text: 'FULL' }),
    await ruleOf({ name: 'many', operator: 'lte', occupied_value: 8, display_text: '{free} FREE {zone} {lot}' }),
    await ruleOf({
      name: 'closed',
      operator: 'gte',
      occupied_value: 0,
      order: 0,
      display_text: 'CLOSED',
      start_time: '2026-02-01T00:00:00Z',
      end_time: '2026-02-02T00:00:00Z',
    }),
  ];
});
afterAll(() => world?.cloud.close());

const preview = (body: object) => world.post(`/v2/rgb-displays/${display}/preview`, body);

describe('POST /v2/rgb-displays/{id}/preview', () => {
  it('shows what the display would show now', async () => {
    const answer = { text: '9 FREE Deck North', rule_id: rules[1] };
    expect(await preview({})).toEqual(answer);
    const bare = await world.cloud.ask('POST', `/v2/rgb-displays/${display}/preview`, { token: GUARD_TOKEN });
    expect([bare.status, bare.body.data]).toEqual([200, answer]);
  });

  it('shows what it would show with so many vehicles, or at another time', async () => {
    expect(await preview({ occupied_count: 12 })).toEqual({ text: 'FULL', rule_id: rules[0] });
    expect(await preview({ occupied_count: 9 })).toEqual({ text: 'P', rule_id: null });
    expect(await preview({ at: '2026-02-01T12:00:00Z' })).toEqual({ text: 'CLOSED', rule_id: rules[2] });
    expect(await preview({ at: '2026-02-02T00:00:00Z', occupied_count: 0 })).toMatchObject({ rule_id: rules[1] });
  });

  it('refuses what it cannot mean', async () => {
    const path = `/v2/rgb-displays/${display}/preview`;
    expect(await world.refused('POST', path, { occupied_count: -1, at: 'soon', size: 1 })).toEqual([
      422,
      '23 occupied_count',
      '23 at',
      '23 size',
    ]);
    expect(await world.refused('POST', path, {}, RIVAL_TOKEN)).toEqual([404, '6']);
    expect(await world.refused('POST', '/v2/rgb-displays/999999/preview', {})).toEqual([404, '6']);
  });
});

describe('GET /v2/rgb-displays/{id}/shown', () => {
  const shown = () => world.get(`/v2/rgb-displays/${display}/shown`);

  it('is nothing before a gateway said anything', async () => {
    expect(await shown()).toEqual({ text: null, shown_at: null, is_stale: 1 });
  });

  it('is what the gateway said, as long as it goes on saying it', async () => {
    const { clock, store } = world.cloud;
    const reports = productReportsOf({ store, clock });
    const report = (text: string, is_stale: boolean) =>
      reports.handleReport(UUID as never, {
        products: [],
        displays: [{ display_id: display, text, shown_ago_ms: 1_500, is_stale }],
      });
    await report('9 FREE', false);
    const shown_at = new Date(clock.now() - 1_500).toISOString();
    expect(await shown()).toEqual({ text: '9 FREE', shown_at, is_stale: 0 });
    await report('P', true);
    expect(await shown()).toEqual({ text: 'P', shown_at, is_stale: 1 });
    await report('9 FREE', false);
    await clock.advance(180_000);
    expect(await shown()).toEqual({ text: '9 FREE', shown_at, is_stale: 1 });
    await reports.close();
  });

  it('is not for others', async () => {
    expect(await world.refused('GET', `/v2/rgb-displays/${display}/shown`, undefined, RIVAL_TOKEN)).toEqual([404, '6']);
  });
});
