import { describe, expect, it } from 'vitest';
import { createAccessRules } from '../../../agent/access/access-rules.js';
import { createOpenSessions } from '../../../agent/access/open-sessions.js';
import { buildStatus, type StatusSources } from '../../../agent/health/build-status.js';
import type { GatewayStatus } from '../../../agent/health/status.js';
import { renderStatus as renderStatusHere } from '../../../agent/health/render-status.js';
import { createCameraStates } from '../../../agent/lpr/presence/camera-states.js';
import { createRecoveryCounter, radioHealthOf } from '../../../agent/product/radio-health.js';
import { createProductWatch } from '../../../agent/product/product-watch.js';
import type { CameraItem, ProductItem } from '../../../shared/gateway-config.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import type { OutboxEpoch } from '../../../shared/uplink.js';
import { createFakeRadio } from '../../devices/fake-radio.js';
import { FakeClock } from '../../world/fake-clock.js';
import { camera } from '../lpr/plate-world.js';
import { BARRIER, GATE, OPENED, productItem } from '../product/product-item.js';
import { crypto } from '../product-protocol/protocol-fixture.js';
import { DAY_MS } from '../../../shared/durations.js';
const UUID = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01' as GatewayUuid;
const HEALTHY_RADIO = radioHealthOf({ state: 'on' }, [], createRecoveryCounter({ monotonic: () => 0 }));
const UNHEARD = { permanent_position: null, key_fault: null, errors: [], rssi: null, battery: null, seen_ago_s: null };
const GATEWAY = {
  gateway_id: 1,
  name: 'Entrance Pi',
  lot_id: 2,
  lot_name: 'North',
  timezone: 'Europe/Zagreb',
  offline_exit: 'open',
  autonomy_days: 31,
  other_gateways_count: 0,
};

/** Of a claimed gateway, which has no device code. */
const renderStatus = (status: GatewayStatus) =>
  renderStatusHere({ ...status, device_code: null, device_code_problem: null });

/** What a gateway's status is read from; `clock` is at noon, 90 s after the start. */
async function sources(
  options: {
    configured?: boolean;
    products?: ProductItem[];
    cameras?: CameraItem[];
    change?: Partial<StatusSources>;
  } = {},
) {
  const clock = new FakeClock();
  const { configured = true, products = [], cameras = [] } = options;
  const byDeviceId = (all: { device_id: string }[]) => Object.fromEntries(all.map((each) => [each.device_id, each]));
  const sections = {
    gateway: configured ? { self: GATEWAY } : {},
    products: byDeviceId(products),
    cameras: byDeviceId(cameras),
  };
  const rules = createAccessRules({
    boot: {
      config: (['gateway', 'products', 'cameras'] as const).map((section) => ({
        section,
        revision: 'revision',
        items: sections[section],
      })),
      sessions: [],
    },
    sessions: createOpenSessions(),
    logger: silentLogger,
  });
  const watch = createProductWatch({ radio: createFakeRadio({ clock }).radio, crypto, clock });
  watch.setProducts(rules.products());
  const cameraStates = createCameraStates(clock);
  await clock.advance(90_000);
  const read: StatusSources = {
    version: '1.2.3',
    uuid: UUID,
    cloud: { url: 'https://cloud.example', connected: true, since: '2026-01-15T12:00:00.000Z' },
    claim: { state: 'claimed', problem: null, former: null },
    radio: HEALTHY_RADIO,
    sensors: { list: () => [] },
    displays: { list: () => [] },
    update: null,
    prober: { status: () => null, problem: () => null },
    knownTimeMs: clock.now(),
    clock,
    startedMonoMs: 0,
    store: {
      path: '/var/lib/parking/agent.db',
      journal_mode: 'wal',
      synchronous: 2,
      file_bytes: 3_145_728,
      quarantined: null,
      failed: null,
      is_broken: false,
    },
    outbox: {
      epoch: '0'.repeat(32) as OutboxEpoch,
      lanes: [
        { lane: 0, first_seq: 1, last_seq: 2, rows: 2, bytes: 200 },
        { lane: 1, first_seq: 1, last_seq: 3, rows: 3, bytes: 300 },
      ],
    },
    readsSinceMs: [],
    troubleTimes: { wrongForS: () => ({ radio: 5 }) },
    rules,
    watch,
    cameras: cameraStates,
    ...options.change,
  };
  return { clock, watch, cameraStates, read };
}

describe('the status of a gateway', () => {
  it('tells all there is to know', async () => {
    const products = [productItem(BARRIER, { pairing: { expiresMs: Date.UTC(2026, 0, 15, 12) + 14.9 * DAY_MS } })];
    const { clock, watch, cameraStates, read } = await sources({
      products: [...products, productItem(GATE, { pairing: null })],
      cameras: [camera('cam-in'), camera('cam-out')],
      change: { readsSinceMs: [90_000, 91_000] },
    });
    watch.applyStatus(BARRIER, OPENED);
    watch.noteClock(BARRIER, { offS: -172_800, nonce: 5 });
    cameraStates.recordClock('cam-in', { behindMs: 61_000, isDrifting: true });
    await clock.advance(2_400);
    expect(buildStatus(read)).toEqual({
      version: '1.2.3',
      uuid: UUID,
      name: 'Entrance Pi',
      lot: 'North',
      uptime_s: 92,
      cloud: { url: 'https://cloud.example', connected: true, since: '2026-01-15T12:00:00.000Z' },
      claim: { state: 'claimed', problem: null, former: null },
      radio: HEALTHY_RADIO,
      parking_gateways: [],
      displays: [],
      update: null,
      wrong_for_s: { radio: 5 },
      clock: { known: true, now: '2026-01-15T12:01:30.000Z' },
      store: { path: '/var/lib/parking/agent.db', bytes: 3_145_728, quarantined: null, failed: null },
      outbox: {
        pending: 5,
        lanes: [
          { lane: 0, rows: 2, bytes: 200 },
          { lane: 1, rows: 3, bytes: 300 },
        ],
      },
      reads: { under_way: 2, oldest_s: 2 },
      products: [
        {
          device_id: BARRIER,
          name: `Product ${BARRIER}`,
          type: 'barrier',
          paired: true,
          status: 'online',
          ...UNHEARD,
          permanent_position: 'disabled',
          battery: 80,
          seen_ago_s: 2,
          state: 'opened',
          passage: 'passable',
          credential_days_left: 14,
          is_credential_low: true,
          clock_off_s: -172800,
          problem:
            'its clock is WRONG: 172800 s behind: the cloud sets it when it is connected; ONLY 14 days: connect the gateway to its cloud',
        },
        {
          device_id: GATE,
          name: `Product ${GATE}`,
          type: 'barrier',
          paired: false,
          status: 'offline',
          state: null,
          passage: 'unknown',
          ...UNHEARD,
          credential_days_left: null,
          is_credential_low: false,
          clock_off_s: null,
          problem: 'not paired: pair it in the console of the cloud',
        },
      ],
      cameras: [
        {
          device_id: 'cam-in',
          name: 'cam-in',
          driver: 'hikvision',
          push_without_key: false,
          status: null,
          last_seen: '2026-01-15T12:01:30.000Z',
          clock_behind_s: 61,
          clock_is_drifting: true,
          problem: null,
        },
        {
          device_id: 'cam-out',
          name: 'cam-out',
          driver: 'hikvision',
          push_without_key: false,
          status: null,
          last_seen: null,
          clock_behind_s: null,
          clock_is_drifting: false,
          problem: null,
        },
      ],
    });
  });

  it('repeats no secret', async () => {
    const { read } = await sources({
      products: [productItem(BARRIER)],
      cameras: [camera('cam-in', { username: 'admin', password: 'camera-secret', push_key: 'push-secret' })],
    });
    const item = productItem(BARRIER);
    const text = JSON.stringify(buildStatus(read)) + renderStatus(buildStatus(read));
    const secrets = ['camera-secret', 'push-secret', item.pairing?.advertisement_key, item.pairing?.token_open.token];
    expect(secrets.filter((secret) => secret === undefined || text.includes(secret))).toEqual([]);
  });

  it('counts no days by a clock that is wrong, and none below zero', async () => {
    const expired = productItem(BARRIER, { pairing: { expiresMs: Date.UTC(2026, 0, 1) } });
    const { read } = await sources({ products: [expired] });
    expect(buildStatus(read).products[0]?.credential_days_left).toBe(0);
    const lost = buildStatus({ ...read, knownTimeMs: null });
    expect(lost).toMatchObject({ clock: { known: false }, products: [{ credential_days_left: null }] });
  });

  it('is there when the store is broken', async () => {
    const { read } = await sources();
    const status = buildStatus({ ...read, outbox: null, store: { ...read.store, failed: 'disk I/O error' } });
    expect(status).toMatchObject({ outbox: { pending: null, lanes: [] }, store: { failed: 'disk I/O error' } });
    expect(renderStatus(status)).toContain('BROKEN: disk I/O error\nqueue     unknown: the store does not answer\n');
  });
});

describe('the status for people', () => {
  it('says which camera no driver serves', async () => {
    const { read } = await sources({ cameras: [camera('cam-in', { driver: 'dahua' })] });
    const problem = 'this agent has no driver dahua';
    const status = buildStatus({ ...read, prober: { status: () => 'offline', problem: () => problem } });
    expect(status.cameras).toMatchObject([{ device_id: 'cam-in', status: 'offline', problem }]);
    expect(renderStatus(status)).toMatch(new RegExp(`cam-in +cam-in +dahua +OFFLINE +not yet +ok +${problem}\n`));
  });

  it('says which camera may push without a key, beside its problem', async () => {
    const { read } = await sources({ cameras: [camera('cam-in', { driver: 'dahua', push_without_key: true })] });
    const status = buildStatus({ ...read, prober: { status: () => 'offline', problem: () => 'it answers 500' } });
    expect(status.cameras).toMatchObject([{ device_id: 'cam-in', push_without_key: true }]);
    expect(renderStatus(status)).toContain('PUSHES WITHOUT A KEY: whoever has its address is heard; it answers 500\n');
  });

  it('is a page of lines and tables', async () => {
    const { clock, watch, cameraStates, read } = await sources({
      products: [productItem(BARRIER), productItem(GATE, { pairing: null })],
      cameras: [camera('cam-in'), camera('camera-out')],
    });
    watch.applyStatus(BARRIER, OPENED);
    cameraStates.recordClock('cam-in', { behindMs: -61_000, isDrifting: true });
    await clock.advance(3_000);
    expect(renderStatus(buildStatus(read)).split('\n')).toEqual([
      `gateway   Entrance Pi  ${UUID}  version 1.2.3, up 93 s`,
      'lot       North',
      'cloud     https://cloud.example  connected since 2026-01-15T12:00:00.000Z',
      'radio     on',
      'clock     2026-01-15T12:01:30.000Z',
      'store     /var/lib/parking/agent.db  3.0 MB',
      'queue     5 to send',
      '',
      'product       name                  type     passage   state   signal  battery  seen     acts alone  problem',
      'a4c138000001  Product a4c138000001  barrier  passable  opened  -       80 %     3 s ago  350 days',
      'a4c138000002  Product a4c138000002  barrier  unknown   -       -       -        not yet  -           not paired: pair it in the console of the cloud',
      '',
      'camera      name        driver     status         last seen                 clock              problem',
      'cam-in      cam-in      hikvision  not known yet  2026-01-15T12:01:30.000Z  WRONG: 61 s ahead',
      'camera-out  camera-out  hikvision  not known yet  not yet                   ok',
      '',
      'sensors  driver  status  occupied  fault',
      '(none)',
    ]);
  });

  it('says what is wrong, and what to do', async () => {
    const { clock, watch, cameraStates, read } = await sources({
      configured: false,
      products: [productItem(BARRIER)],
      cameras: [camera('cam-in')],
    });
    watch.applyStatus(BARRIER, OPENED);
    cameraStates.recordClock('cam-in', { behindMs: 120_000, isDrifting: true });
    await clock.advance(2 * DAY_MS);
    const quarantined = '/var/lib/parking/agent.db.damaged';
    const text = renderStatus(
      buildStatus({
        ...read,
        cloud: { url: null, connected: false, since: null },
        radio: {
          state: 'unavailable',
          adapters: [
            { name: 'hci0', state: 'unavailable', links: 0 },
            { name: 'hci1', state: 'on', links: 2 },
          ],
          recoveries: { free: 0, rescan: 2, reset: 1, restart: 0, power: 0 },
          last_recovery: { adapter: 'hci1', step: 'reset', reason: 'nothing heard', ago_s: 90 },
        },
        knownTimeMs: null,
        store: { ...read.store, quarantined },
      }),
    );
    expect(text).toContain(`gateway   (no configuration yet)  ${UUID}  version 1.2.3, up 2 days\nlot       -\n`);
    expect(text).toContain(
      'cloud     not claimed: parking-agent claim --cloud URL --code CODE\n' +
        'radio     unavailable  (hci0 unavailable; hci1 on, 2 connections)  healed itself: 2 x rescan, 1 x reset; ' +
        'last 90 s ago at hci1: reset, nothing heard\n',
    );
    expect(text).toContain('  NOT SET: times are estimated\n');
    expect(text).toContain(`3.0 MB  a damaged file was put aside: ${quarantined}\n`);
    expect(text).toContain('NOT HEARD for 2 days: is it in range, and has it power?');
    expect(text).toContain('WRONG: 120 s behind');

    const disconnected = { url: 'https://cloud.example', connected: false, since: '2026-01-15T11:00:00.000Z' };
    expect(renderStatus(buildStatus({ ...read, cloud: disconnected }))).toContain(
      'cloud     https://cloud.example  NOT CONNECTED since 2026-01-15T11:00:00.000Z\n',
    );
    const { read: empty } = await sources();
    expect(renderStatus(buildStatus(empty))).toMatch(
      /problem\n\(none\)\n\ncamera .*\n\(none\)\n\nsensors .*\n\(none\)$/,
    );
  });

  it.each([
    [119_000, '119 s'],
    [120_000, '2 min'],
    [2 * 3_600_000, '2 h'],
    [47 * 3_600_000, '47 h'],
    [30 * DAY_MS, '30 days'],
  ])('writes %i ms of uptime as %s', async (uptimeMs, text) => {
    const { clock, read } = await sources();
    expect(renderStatus(buildStatus({ ...read, startedMonoMs: clock.monotonic() - uptimeMs }))).toContain(
      `, up ${text}\n`,
    );
  });
});
