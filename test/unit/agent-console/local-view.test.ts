import { describe, expect, it } from 'vitest';
import { buildLocalView } from '../../../agent/console/view/build-local-view.js';
import type { ProductView } from '../../../agent/console/view/local-view.js';
import { lastReadsOf, refusedOf, sightingsOf } from '../../../agent/console/view/seen-vehicles.js';
import { createViewCache } from '../../../agent/console/view/view-cache.js';
import type { KeptRead } from '../../../agent/lpr/reads/seen-reads.js';
import type { Uid } from '../../../shared/ids.js';
import type { ProductReport } from '../../../shared/uplink-reports.js';
import { FakeClock } from '../../world/fake-clock.js';
import { camera } from '../lpr/plate-world.js';
import { BARRIER, productItem } from '../product/product-item.js';
import { GATEWAY, PRODUCT, rulesOf, statusOf, viewSources } from './view-world.js';

const REPORT: ProductReport = {
  product_id: 1,
  device_id: BARRIER,
  status: 'online',
  state: 'opened',
  permanent_position: 'stay_open',
  is_car_on_top: true,
  is_autoclose: false,
  autoclose_time: 10,
  battery_status: 80,
  rssi: -61,
  errors: 0,
  advertisement_data: null,
  seen_ago_ms: 1_000,
};

const productOf = (product: Partial<typeof PRODUCT> = {}, report: Partial<ProductReport> = {}, moves = false) => {
  const status = statusOf({ products: [{ ...PRODUCT, ...product }] });
  const view = buildLocalView(viewSources({ status, reports: [{ ...REPORT, ...report }], isMoving: () => moves }));
  return view.products[0] as ProductView;
};

describe('what the page of the gateway shows', () => {
  it('is whether people can pass, and what is wrong, the most urgent first', () => {
    expect((['passable', 'blocked', 'unknown'] as const).map((passage) => productOf({ passage }).state)).toEqual([
      'passable',
      'blocked',
      'unknown',
    ]);
    expect(productOf({ state: 'error', passage: 'unknown' }).state).toBe('error');
    expect(productOf({ state: null }, {}, true).state).toBe('moving');
    expect(productOf({ errors: ['rtcc_invalid', 'battery_empty', 'jammed'] }).errors).toEqual([
      'jammed',
      'battery_empty',
      'rtcc_invalid',
    ]);
    expect(productOf()).toMatchObject({ held: 'stay_open', is_car_on_top: true, rssi: -61, lost_at: null });
    expect(productOf({ status: 'offline', seen_ago_s: 600 }).lost_at).toBe('2026-01-15T11:52:00.000Z');
  });

  it('names what a camera opens, its last vehicle, and where one waits whose plate nobody could read', () => {
    const lane = { ...camera('cam-in'), name: 'Lane 1', product_device_id: BARRIER };
    const rules = rulesOf({
      gateway: { self: GATEWAY },
      cameras: { 'cam-in': lane, 'cam-yard': { ...camera('cam-yard'), product_device_id: null } },
      products: { [BARRIER]: { ...productItem(BARRIER), name: 'Entry barrier' } },
    });
    const row = { push_without_key: false, status: 'online', last_seen: null, problem: null } as const;
    const cameras = ['cam-in', 'cam-yard'].map((device_id) => ({
      device_id,
      name: device_id,
      driver: 'axis',
      clock_behind_s: 90,
      clock_is_drifting: device_id === 'cam-in',
      ...row,
    }));
    const read = {
      uid: 'r1',
      at: '2026-01-15T12:00:00.000Z',
      plate: 'ZG1234AB',
      direction: 'in',
      access_decision: 'denied',
      access_decision_reason: 'no_tariff',
      is_opening_unknown: false,
      picture_uid: 'p1',
    } as const;
    const sighting = {
      uid: 's1',
      at: read.at,
      direction: read.direction,
      picture_uid: null,
      camera_device_id: 'cam-in',
      can_be_let_in_until: null,
      handled: null,
    } as const;
    const {
      cameras: shown,
      sightings,
      refused,
    } = buildLocalView(
      viewSources({
        rules,
        status: statusOf({ cameras }),
        lastReads: new Map([['cam-in', read]]),
        sightings: [sighting, { ...sighting, uid: 's2', camera_device_id: 'cam-gone' }],
        refused: [{ ...read, camera_device_id: 'cam-in', can_be_let_in_until: null, handled: null, rules: [] }],
      }),
    );
    expect(shown).toMatchObject([
      { device_id: 'cam-in', product: 'Entry barrier', clock_behind_s: 90, last_read: read },
      { device_id: 'cam-yard', product: null, clock_behind_s: null, last_read: null },
    ]);
    expect(sightings).toMatchObject([
      { uid: 's1', camera: 'Lane 1', product: { device_id: BARRIER, name: 'Entry barrier' } },
      { uid: 's2', camera: 'cam-gone', product: null },
    ]);
    expect(refused).toMatchObject([{ ...read, camera: 'Lane 1', product: { device_id: BARRIER } }]);
  });

  it('says until when a vehicle without a plate can be let in, to ten seconds, and what each camera saw last', () => {
    const now_ms = Date.UTC(2026, 0, 15, 12, 0, 7);
    const kept = (uid: string, age_ms: number, changed: Partial<KeptRead> = {}): KeptRead => ({
      uid: uid as Uid,
      camera: camera('cam-in'),
      event_ms: now_ms - age_ms,
      age_ms,
      direction: 'in',
      decided: null,
      has_picture: false,
      ...changed,
    });
    const old = { ...kept('s2', Number.POSITIVE_INFINITY), event_ms: 0 };
    const done = { how: 'ignored', by: 'Ana', at_ms: now_ms } as const;
    const handledBefore = {
      of: (uid: string) => (uid === 's3' ? done : null),
      isOpeningUnknown: (uid: string) => ['r11', 'r1', 's3'].includes(uid),
    };
    const facts = { now_ms, letInMs: 600_000, handled: handledBefore };
    const sightings = sightingsOf({ sightings: () => [kept('s1', 1_000), old, kept('s3', 1_000)] }, facts);
    expect(sightings.map(({ uid, can_be_let_in_until, handled }) => [uid, can_be_let_in_until, handled])).toEqual([
      ['s1', '2026-01-15T12:10:00.000Z', null],
      ['s2', null, null],
      ['s3', null, { how: 'ignored', by: 'Ana', at: '2026-01-15T12:00:07.000Z' }],
    ]);
    const rules: NonNullable<KeptRead['decided']>['rules'] = [
      { rule: 'plate', outcome: 'passed', facts: { plate: 'ZG1' } },
      { rule: 'tariff', outcome: 'denied', facts: { has_tariff: 0 } },
    ];
    const refusal = { plate: 'ZG1', decision: 'denied', reason: 'no_tariff', opens_product_id: null, rules };
    const hours = (count: number) => kept(`r${count}`, count * 3_600_000, { decided: refusal });
    expect(refusedOf({ refused: () => [hours(0), hours(11), hours(13)] }, facts)).toMatchObject([
      {
        uid: 'r0',
        is_opening_unknown: false,
        plate: 'ZG1',
        access_decision_reason: 'no_tariff',
        can_be_let_in_until: expect.any(String),
        rules,
      },
      { uid: 'r11', is_opening_unknown: true, can_be_let_in_until: null, handled: null },
    ]);
    const decided = { plate: 'ZG1', decision: 'denied', reason: 'no_tariff', opens_product_id: null, rules };
    const reads = new Map([
      ['cam-in', kept('r1', 5, { decided, has_picture: true })],
      ['cam-out', kept('s1', 5)],
    ]);
    const last = lastReadsOf({ last: (id) => reads.get(id) ?? null }, ['cam-in', 'cam-out', 'cam-new'], handledBefore);
    expect([...last.keys()]).toEqual(['cam-in', 'cam-out']);
    expect(last.get('cam-in')).toMatchObject({ plate: 'ZG1', access_decision_reason: 'no_tariff', picture_uid: 'r1' });
    expect(last.get('cam-out')).toMatchObject({ plate: null, access_decision: null, picture_uid: null });
  });

  it('stays the same while nothing happens', () => {
    const at = (second: number) =>
      buildLocalView(
        viewSources({
          status: statusOf({
            uptime_s: 90 + second,
            clock: { known: true, now: `2026-01-15T12:01:${30 + second}.000Z` },
          }),
        }),
      );
    expect(at(7)).toEqual(at(0));
  });

  it('has its troubles, the worst first, and none of a healthy gateway', () => {
    expect(buildLocalView(viewSources()).troubles).toEqual([]);
    const status = statusOf({
      name: null,
      uptime_s: 86_400,
      cloud: { url: 'https://cloud.example', connected: false, since: '2026-01-15T11:00:00.000Z' },
      clock: { known: false, now: '2026-01-15T12:01:30.000Z' },
      store: { path: '/x', bytes: 1, quarantined: null, failed: 'disk full' },
      products: [
        { ...PRODUCT, errors: ['jammed'], battery: 9, is_credential_low: true, credential_days_left: 3 },
        { ...PRODUCT, name: 'Gate', status: 'offline', seen_ago_s: 600 },
        { ...PRODUCT, name: 'New gate', paired: false },
      ],
      displays: [{ name: 'Sign', driver: 'http', text: null, shown_ago_s: null, fault: 'no answer' }],
    });
    expect(buildLocalView(viewSources({ status })).troubles.map(({ kind }) => kind)).toEqual([
      'store_failed',
      'product_error',
      'product_unpaired',
      'product_unheard',
      'gateway_alone',
      'not_configured',
      'clock_wrong',
      'display_stale',
      'credential_low',
      'battery_low',
    ]);
  });

  it('says how a product and a place were when they were last heard, and not how they are', () => {
    const lost = productOf({ status: 'offline', seen_ago_s: 600, state: 'closed', passage: 'unknown' });
    expect(lost).toMatchObject({ state: 'unknown', was: 'blocked' });
    expect(productOf({ status: 'offline', seen_ago_s: 600, state: 'error', passage: 'unknown' })).toMatchObject({
      state: 'unknown',
      was: null,
    });
    const place = { name: 'A1', sensor: '1', occupancy: 'free', raw: null, answers: false } as const;
    const deck = { name: 'Deck', driver: 'http', status: 'online', place_count: 2, occupied_count: 0 } as const;
    const places = [
      { ...place, is_stale: true, heard_ago_s: 7_200 },
      { ...place, is_stale: false, heard_ago_s: 2 },
    ];
    const status = statusOf({ parking_gateways: [{ ...deck, stale_places: ['A1'], places, fault: null }] });
    expect(buildLocalView(viewSources({ status })).parking_gateways[0]?.places).toEqual([
      { name: 'A1', occupancy: 'free', is_stale: true, heard_at: '2026-01-15T10:02:00.000Z' },
      { name: 'A1', occupancy: 'free', is_stale: false, heard_at: null },
    ]);
  });
});

describe('the document that phones ask for', () => {
  function start() {
    const clock = new FakeClock();
    const builds: { done(document: object): void; fail(error: Error): void }[] = [];
    const view = createViewCache({
      clock,
      build: () => new Promise((done, fail) => void builds.push({ done, fail })),
    });
    return { clock, builds, view };
  }

  it('is built once for all who ask within half a second, and while it is built', async () => {
    const { clock, builds, view } = start();
    const asked = Array.from({ length: 10 }, view);
    await clock.advance(60_000);
    asked.push(view());
    expect(builds).toHaveLength(1);
    builds[0]?.done({ a: 1 });
    const [first, ...others] = await Promise.all(asked);
    expect(others.every((each) => each === first)).toBe(true);
    await clock.advance(499);
    expect(await view()).toBe(first);
    await clock.advance(1);
    const next = view();
    builds[1]?.done({ a: 1 });
    expect((await next).tag).toBe(first?.tag);
    await clock.advance(500);
    const changed = view();
    builds[2]?.done({ a: 2 });
    expect((await changed).tag).not.toBe(first?.tag);
  });

  it('is asked for anew after a failure', async () => {
    const { builds, view } = start();
    const failed = view();
    builds[0]?.fail(new Error('no'));
    await expect(failed).rejects.toThrow('no');
    void view();
    expect(builds).toHaveLength(2);
  });
});
