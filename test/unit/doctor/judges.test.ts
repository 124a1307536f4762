/** Each judge, by what it is told: every id that a judge can give is given once here. Those of the equipment stand beside this file. */
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
  'gateway.erasing',
  'gateway.identity_unreadable',
  'gateway.identity_damaged',
  'disk.unknown',
  'check.late',
  'check.failed',
  'gateway.port_taken',
  'gateway.port_refused',
]);
/** The areas whose judges have tests of their own. */
const REACH = ['network', 'dns', 'cloud', 'broker', 'certificate', 'authority'];
const EQUIPMENT = ['radio', 'product', 'cycle', 'camera', 'decision', 'sensor', 'display'];
const ELSEWHERE = new Set([...REACH, ...EQUIPMENT]);

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
