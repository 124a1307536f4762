/** Each judge, by what it is told: every id that a judge can give is given once here. */
import { afterAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../shared/durations.js';
import { areaOf } from '../../../shared/doctor/describe-finding.js';
import { FINDING_IDS, type Finding } from '../../../shared/doctor/findings.js';
import { decideClock } from '../../../agent/doctor/decide-clock.js';
import {
  decideDisk,
  decideHeat,
  decideMemory,
  decidePower,
  decideWear,
  emmcWear,
  memoryIn,
  throttledPower,
} from '../../../agent/doctor/decide-device.js';
import {
  decideCamera,
  decideDisplay,
  decideDryRun,
  decideProduct,
  decideRadio,
  decideSensor,
} from '../../../agent/doctor/decide-equipment.js';
import {
  decideMembership,
  decideQueue,
  decideRules,
  decideService,
  decideSession,
  decideStore,
} from '../../../agent/doctor/decide-gateway.js';

/** What is found without a judge: by who asks the gateway, by the runner, and by what moves. Their tests stand beside this one. */
const WITHOUT_JUDGE = new Set([
  'gateway.running',
  'gateway.not_running',
  'gateway.not_asked',
  'gateway.other_version',
  'gateway.identity_unreadable',
  'gateway.identity_damaged',
  'product.none',
  'camera.none',
  'sensor.none',
  'display.none',
  'disk.unknown',
  'cycle.ok',
  'cycle.failed',
  'check.late',
  'check.failed',
  'gateway.port_taken',
  'gateway.port_refused',
]);
/** The areas whose judges have a test of their own. */
const ELSEWHERE = new Set(['network', 'dns', 'cloud', 'broker', 'certificate', 'authority']);

const given = new Set<string>();
const idsOf = (findings: Finding | readonly Finding[]): string[] => {
  const ids = [findings].flat().map(({ id }) => id);
  for (const id of ids) given.add(id);
  return ids;
};

afterAll(() => {
  const own = FINDING_IDS.filter((id) => !WITHOUT_JUDGE.has(id) && !ELSEWHERE.has(areaOf(id)));
  expect(own.filter((id) => !given.has(id))).toEqual([]);
});

const NOW = Date.UTC(2026, 10, 28);

describe('the device', () => {
  const disk = {
    path: '/data',
    free_bytes: 8e9,
    total_bytes: 32e9,
    free_files: 1e6,
    read_only: null,
    unwritable: null,
  };
  it.each([
    [disk, 'disk.ok'],
    [{ ...disk, free_bytes: 3.1e9 }, 'disk.low'],
    [{ ...disk, free_bytes: 0.4e9, total_bytes: 1e9 }, 'disk.low'],
    [{ ...disk, free_bytes: 10e6 }, 'disk.full'],
    [{ ...disk, free_files: 19 }, 'disk.no_inodes'],
    [{ ...disk, free_files: 20 }, 'disk.ok'],
    [{ ...disk, free_files: null }, 'disk.ok'],
    [{ ...disk, read_only: '/ is mounted read-only (ro)' }, 'disk.read_only'],
    [{ ...disk, unwritable: 'EACCES' }, 'disk.unwritable'],
  ])('disk %j', (facts, id) => {
    expect(idsOf(decideDisk(facts))).toEqual([id]);
  });

  it('wear, of each disk that tells it', () => {
    expect(idsOf(decideWear([]))).toEqual(['wear.unknown']);
    const of = (used_percent: number | null, is_failing = false) => ({ disk: 'mmcblk0', used_percent, is_failing });
    expect(idsOf(decideWear([of(20), of(70), of(100), of(null), of(null, true)]))).toEqual([
      'wear.ok',
      'wear.worn',
      'wear.ending',
      'wear.unknown',
      'wear.ending',
    ]);
  });

  it('wear of an eMMC as the kernel writes it', () => {
    expect(emmcWear('0x01 0x02\n', '0x01\n')).toEqual({ used_percent: 20, is_failing: false });
    expect(emmcWear('0x0b 0x01', '0x01')).toEqual({ used_percent: 100, is_failing: true });
    expect(emmcWear('0x00 0x00', '0x03')).toEqual({ used_percent: null, is_failing: true });
    expect(emmcWear('0x00 0x00', '0x00')).toBeNull();
    expect(emmcWear('rubbish', '')).toBeNull();
  });

  it('power, as the firmware of a Raspberry Pi tells it', () => {
    const idOf = (text: string) => idsOf(decidePower(throttledPower(text)))[0];
    expect(['0', '0x50005', '50000', '0xe0000', '', 'none'].map(idOf)).toEqual([
      'power.ok',
      'power.low',
      'power.was_low',
      'power.ok',
      'power.unknown',
      'power.unknown',
    ]);
  });

  it('temperature and memory', () => {
    expect([null, 60, 75, 84].flatMap((celsius) => idsOf(decideHeat(celsius)))).toEqual([
      'heat.unknown',
      'heat.ok',
      'heat.high',
      'heat.critical',
    ]);
    expect(memoryIn('MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    500 kB\n')).toEqual({
      free_bytes: 512_000,
      total_bytes: 1_024_000,
    });
    const of = (free_bytes: number) => ({ free_bytes, total_bytes: 4e9 });
    expect([null, of(2e9), of(0.19e9)].flatMap((memory) => idsOf(decideMemory(memory)))).toEqual([
      'memory.unknown',
      'memory.ok',
      'memory.low',
    ]);
  });
});

describe('the clock', () => {
  const right = { now_ms: NOW, is_possible: true, off_ms: 100, is_synchronised: true, has_battery: true };
  it.each([
    [right, ['clock.ok', 'clock.synchronised', 'clock.battery']],
    [{ ...right, off_ms: -90_000 }, ['clock.off', 'clock.synchronised', 'clock.battery']],
    [
      { ...right, now_ms: 0, is_possible: false, off_ms: null, is_synchronised: false, has_battery: false },
      ['clock.unknown', 'clock.unsynchronised', 'clock.no_battery'],
    ],
    [{ ...right, off_ms: null }, ['clock.ok', 'clock.synchronised', 'clock.battery']],
    [{ ...right, off_ms: null, is_synchronised: null }, ['clock.time_unknown', 'clock.sync_unknown', 'clock.battery']],
    [{ ...right, is_synchronised: false }, ['clock.ok', 'clock.unsynchronised', 'clock.battery']],
  ])('%j', (facts, ids) => {
    expect(idsOf(decideClock(facts))).toEqual(ids);
  });
});

describe('the equipment', () => {
  const radio = { state: 'on' as const, adapters: [{ name: 'hci0', state: 'on' as const }], last_recovery: null };
  it('radio', () => {
    const healed = { adapter: 'hci0', step: 'reset', ago_s: 60 };
    const second = { name: 'hci1', state: 'unavailable' as const };
    expect(idsOf(decideRadio(radio, 1))).toEqual(['radio.ok']);
    expect(idsOf(decideRadio({ ...radio, state: 'off', adapters: [] }, 0))).toEqual(['radio.unneeded']);
    expect(idsOf(decideRadio({ ...radio, state: 'off', adapters: [] }, 1))).toEqual(['radio.off']);
    expect(idsOf(decideRadio({ ...radio, state: 'unavailable' }, 1))).toEqual(['radio.unavailable']);
    expect(idsOf(decideRadio({ ...radio, adapters: [...radio.adapters, second], last_recovery: healed }, 1))).toEqual([
      'radio.adapter_gone',
      'radio.healed',
    ]);
    expect(idsOf(decideRadio({ ...radio, last_recovery: { ...healed, ago_s: 86_400 } }, 1))).toEqual(['radio.ok']);
  });

  const product = {
    name: 'Gate',
    paired: true,
    status: 'online' as const,
    state: 'closed',
    errors: [],
    rssi: -60,
    battery: null,
    seen_ago_s: 2,
    credential_days_left: 30,
    is_credential_low: false,
    clock_off_s: null,
  };
  it.each([
    [product, ['product.ok']],
    [{ ...product, paired: false }, ['product.unpaired']],
    [{ ...product, status: 'offline' as const, seen_ago_s: null }, ['product.never_seen']],
    [{ ...product, status: 'offline' as const, seen_ago_s: 400, battery: 9 }, ['product.lost', 'product.battery_low']],
    [{ ...product, battery: 20 }, ['product.battery_low']],
    [{ ...product, battery: 21 }, ['product.ok']],
    [{ ...product, errors: ['jammed' as const, 'sensor_dirty' as const] }, ['product.error', 'product.error']],
    [{ ...product, state: 'error' }, ['product.error']],
    [{ ...product, rssi: -90 }, ['product.weak']],
    [{ ...product, is_credential_low: true, credential_days_left: 3 }, ['product.credential_low']],
    [{ ...product, is_credential_low: true, credential_days_left: 0 }, ['product.credential_ended']],
    [{ ...product, clock_off_s: -900 }, ['product.clock_wrong']],
  ])('product %j', (facts, ids) => {
    expect(idsOf(decideProduct(facts))).toEqual(ids);
  });

  const camera = {
    name: 'Entry',
    push_without_key: false,
    unserved: null,
    probe: { isThere: true, problem: null },
    status: 'online' as const,
    problem: null,
    seen_ago_s: 60,
    clock_behind_s: 0,
  };
  it.each([
    [camera, ['camera.ok']],
    [{ ...camera, seen_ago_s: null }, ['camera.quiet']],
    [{ ...camera, probe: { isThere: false, problem: 'ECONNREFUSED' } }, ['camera.offline']],
    [{ ...camera, probe: null, status: 'offline' as const }, ['camera.offline']],
    [{ ...camera, probe: null }, ['camera.ok']],
    [{ ...camera, probe: { isThere: true, problem: '401', condition: 'auth' } }, ['camera.refused']],
    [{ ...camera, unserved: 'no driver' }, ['camera.unserved']],
    [{ ...camera, clock_behind_s: 3_600, problem: 'its last read came 3600 s late' }, ['camera.clock_wrong']],
    [{ ...camera, problem: 'a push had a wrong key' }, ['camera.problem']],
    [{ ...camera, push_without_key: true }, ['camera.without_key']],
  ])('camera %j', (facts, ids) => {
    expect(idsOf(decideCamera(facts))).toEqual(ids);
  });

  it('sensors and displays', () => {
    const sensor = {
      name: 'Row',
      status: 'online' as const,
      place_count: 20,
      stale_places: [] as string[],
      fault: null,
    };
    expect(idsOf(decideSensor(sensor))).toEqual(['sensor.ok']);
    expect(idsOf(decideSensor({ ...sensor, status: 'offline' }))).toEqual(['sensor.offline']);
    expect(idsOf(decideSensor({ ...sensor, fault: 'a register is missing', stale_places: ['A1'] }))).toEqual([
      'sensor.silent',
      'sensor.fault',
    ]);
    const many = Array.from({ length: 20 }, (_, at) => `A${at}`);
    expect(decideSensor({ ...sensor, stale_places: many })[0]?.facts['places']).toMatch(/^A0, .*A7, \+12$/);
    const display = { name: 'Sign', text: '12 FREE', fault: null };
    expect(idsOf(decideDisplay(display))).toEqual(['display.ok']);
    expect(idsOf(decideDisplay({ ...display, text: null }))).toEqual(['display.waiting']);
    expect(idsOf(decideDisplay({ ...display, fault: 'no answer' }))).toEqual(['display.fault']);
  });

  const run = {
    camera: 'Entry',
    plate: 'ZG1234AB',
    access_decision: 'triggered' as const,
    reason: 'whitelist',
    is_zone_known: true,
    product: 'Gate',
    is_product_known: true,
    is_held_closed: false,
  };
  it.each([
    [run, ['decision.opens']],
    [{ ...run, product: null }, ['decision.admits']],
    [{ ...run, access_decision: 'denied' as const, reason: 'no_tariff' }, ['decision.denies']],
    [{ ...run, access_decision: null, reason: null }, ['decision.undecided']],
    [{ ...run, is_held_closed: true }, ['decision.held_closed']],
    [{ ...run, is_zone_known: false }, ['decision.no_zone', 'decision.opens']],
    [{ ...run, is_product_known: false }, ['decision.no_product', 'decision.admits']],
  ])('test plate %j', (facts, ids) => {
    expect(idsOf(decideDryRun(facts))).toEqual(ids);
  });
});

describe('the gateway itself', () => {
  it.each(['deleted', 'replaced', 'reset'] as const)('was %s, and says when', (why) => {
    const findings = decideMembership({ cloud: null, former: { why, at_ms: NOW }, is_configured: null });
    expect(idsOf(findings)).toEqual([`gateway.${why}`]);
    expect(findings[0]?.facts).toEqual({ time: '2026-11-28 00:00 UTC' });
  });

  it('decides by what is old, whether it is connected or not', () => {
    // The cloud made it at some time of the day before yesterday, for thirty whole days after that.
    const renewed = (daysAgo: number) => NOW + (30 + 1 - daysAgo) * DAY_MS;
    const rules = { now_ms: NOW, expiries_ms: [renewed(0)], autonomy_days: 30, alone_s: null };
    expect(idsOf(decideRules(rules))).toEqual([]);
    expect(idsOf(decideRules({ ...rules, expiries_ms: [] }))).toEqual([]);
    expect(idsOf(decideRules({ ...rules, expiries_ms: [renewed(2)] }))).toEqual([]);
    expect(decideRules({ ...rules, expiries_ms: [renewed(9), renewed(3)] })[0]?.facts).toEqual({ days: 2 });
    expect(idsOf(decideRules({ ...rules, expiries_ms: [renewed(9), renewed(0)] }))).toEqual([]);
    const alone = { ...rules, expiries_ms: [], alone_s: 3 * 86_400 };
    expect(idsOf(decideRules(alone))).toEqual(['gateway.rules_old']);
    expect(idsOf(decideRules({ ...alone, alone_s: 86_400 }))).toEqual([]);
  });

  it('its cloud, connection, service, store and queue', () => {
    const member = { cloud: 'https://c', former: null, is_configured: null };
    expect(idsOf(decideMembership({ ...member, cloud: null }))).toEqual(['gateway.unclaimed']);
    expect(idsOf(decideMembership(member))).toEqual(['gateway.claimed']);
    expect(idsOf(decideMembership({ ...member, is_configured: false }))).toEqual([
      'gateway.claimed',
      'gateway.no_configuration',
    ]);
    expect([true, false].flatMap((connected) => idsOf(decideSession({ connected, since_s: 5 })))).toEqual([
      'session.ok',
      'session.none',
    ]);
    expect(
      [null, { has_watchdog: false }, { has_watchdog: true }].flatMap((each) => idsOf(decideService(each))),
    ).toEqual(['service.by_hand', 'service.started', 'service.watched']);
    const store = { bytes: 1, quarantined: null, failed: null };
    expect(idsOf(decideStore(store))).toEqual(['store.ok']);
    expect(idsOf(decideStore({ ...store, failed: 'ENOSPC', quarantined: '/x' }))).toEqual([
      'store.failed',
      'store.quarantined',
    ]);
    expect(decideQueue(null)).toEqual([]);
    expect(idsOf(decideQueue({ waiting: 0, oldest_s: null, full_percent: 0 }))).toEqual(['queue.ok']);
    expect(idsOf(decideQueue({ waiting: 9, oldest_s: 700, full_percent: 95 }))).toEqual(['queue.old', 'queue.full']);
  });
});
