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
  decideService,
  decideSession,
  decideStore,
} from '../../../agent/doctor/decide-gateway.js';
import { decideDns, decideNetwork, hasDefaultRoute, wifiIn } from '../../../agent/doctor/decide-network.js';
import { decideBroker, decideCloud } from '../../../agent/doctor/decide-reach.js';

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
]);

const EQUIPMENT = new Set(['radio', 'product', 'cycle', 'camera', 'decision', 'sensor', 'display']);
const isOfEquipment = (id: string): boolean => EQUIPMENT.has(areaOf(id));

const given = new Set<string>();
const idsOf = (findings: Finding | readonly Finding[]): string[] => {
  const ids = [findings].flat().map(({ id }) => id);
  for (const id of ids) given.add(id);
  return ids;
};

afterAll(() => {
  const others = FINDING_IDS.filter((id) => !isOfEquipment(id) && !given.has(id) && !WITHOUT_JUDGE.has(id));
  expect(others).toEqual([]);
});

const NOW = Date.UTC(2026, 10, 28);

describe('the device', () => {
  const disk = { path: '/data', free_bytes: 8e9, total_bytes: 32e9, read_only: null, unwritable: null };
  it.each([
    [disk, 'disk.ok'],
    [{ ...disk, free_bytes: 3.1e9 }, 'disk.low'],
    [{ ...disk, free_bytes: 0.4e9, total_bytes: 1e9 }, 'disk.low'],
    [{ ...disk, free_bytes: 10e6 }, 'disk.full'],
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
    [{ ...right, off_ms: null, is_synchronised: null }, ['clock.ok', 'clock.sync_unknown', 'clock.battery']],
  ])('%j', (facts, ids) => {
    expect(idsOf(decideClock(facts))).toEqual(ids);
  });
});

describe('the network', () => {
  const network = { addresses: ['eth0 192.168.1.5'], has_route: true, wifi: [], is_cloud_here: false };
  it.each([
    [network, ['network.ok']],
    [{ ...network, addresses: [] }, ['network.down']],
    [{ ...network, has_route: false }, ['network.no_route']],
    [{ ...network, addresses: [], has_route: false, is_cloud_here: true }, ['network.ok']],
    [{ ...network, wifi: [{ name: 'wlan0', signal_dbm: -80 }] }, ['network.weak_wifi']],
  ])('%j', (facts, ids) => {
    expect(idsOf(decideNetwork(facts))).toEqual(ids);
  });

  it('names in both families', () => {
    const of = (v4: object, v6: object, is_address = false) =>
      idsOf(decideDns({ host: 'cloud.example', is_address, v4: v4 as never, v6: v6 as never }))[0];
    const [some, none, dead] = [{ count: 1 }, { code: 'ENOTFOUND' }, { code: 'EAI_AGAIN' }];
    expect(of(some, some, true)).toBe('dns.unneeded');
    expect(of(some, none)).toBe('dns.ok');
    expect(of(none, some)).toBe('dns.ok');
    expect(of(some, dead)).toBe('dns.half');
    expect(of(dead, some)).toBe('dns.half');
    expect(of(none, none)).toBe('dns.failed');
    expect(
      decideDns({ host: 'x', is_address: false, v4: { code: 'ENOTFOUND' }, v6: { code: 'EAI_AGAIN' } }).facts,
    ).toEqual({
      problem: 'EAI_AGAIN',
    });
  });

  it('routes and Wi-Fi, as the kernel writes them', () => {
    const head = 'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n';
    const lan = 'eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n';
    const out = 'eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n';
    expect(hasDefaultRoute(head + lan, '')).toBe(false);
    expect(hasDefaultRoute(head + lan + out, '')).toBe(true);
    const zero = '0'.repeat(32);
    expect(hasDefaultRoute('', `${zero} 00 ${zero} 00 ${zero} ffffffff 1 0 00200200       lo\n`)).toBe(false);
    expect(hasDefaultRoute('', `${zero} 00 ${zero} 00 fe80 00000400 1 0 00000003     eth0\n`)).toBe(true);
    const wireless = `Inter-| sta-|   Quality        |\n face | tus | link level noise |\n wlan0: 0000   40.  -78.  -256        0      0\n`;
    expect(wifiIn(wireless)).toEqual([{ name: 'wlan0', signal_dbm: -78 }]);
  });
});

describe('cloud and broker', () => {
  const certificate = { from_ms: NOW - DAY_MS, to_ms: NOW + 90 * DAY_MS, problem: null };
  const answer = { status: 200, is_cloud: true, what: '', latency_ms: 30, date_ms: NOW };
  const cloud = { host: 'c', now_ms: NOW, certificate: null, answer, problem: null, is_clock_compared: true };
  it.each([
    [cloud, ['cloud.ok']],
    [{ ...cloud, answer: { ...answer, latency_ms: 2_500 } }, ['cloud.slow']],
    [{ ...cloud, answer: null, problem: 'ECONNREFUSED' }, ['cloud.unreachable']],
    [{ ...cloud, answer: { ...answer, status: 302, is_cloud: false } }, ['cloud.portal']],
    [{ ...cloud, answer: { ...answer, status: 511, is_cloud: false } }, ['cloud.portal']],
    [{ ...cloud, answer: { ...answer, status: 503, is_cloud: false } }, ['cloud.unwell']],
    [{ ...cloud, answer: { ...answer, date_ms: NOW + 3_600_000 } }, ['cloud.ok', 'clock.off']],
    [{ ...cloud, answer: { ...answer, date_ms: NOW + 3_600_000 }, is_clock_compared: false }, ['cloud.ok']],
    [{ ...cloud, certificate }, ['cloud.ok', 'certificate.ok']],
    [{ ...cloud, certificate: { ...certificate, to_ms: NOW + 20 * DAY_MS } }, ['cloud.ok', 'certificate.near_end']],
    [
      { ...cloud, answer: null, certificate: { ...certificate, to_ms: NOW - DAY_MS, problem: 'CERT_HAS_EXPIRED' } },
      ['certificate.ended'],
    ],
    [
      { ...cloud, answer: null, certificate: { ...certificate, from_ms: NOW + DAY_MS, problem: 'CERT_NOT_YET_VALID' } },
      ['certificate.early'],
    ],
    [
      { ...cloud, answer: null, certificate: { ...certificate, problem: 'SELF_SIGNED_CERT_IN_CHAIN' } },
      ['certificate.refused'],
    ],
  ])('cloud %j', (facts, ids) => {
    expect(idsOf(decideCloud(facts))).toEqual(ids);
  });

  const broker = {
    host: 'b',
    now_ms: NOW,
    latency_ms: 5,
    problem: null,
    certificate: null,
    authority_ends_ms: [],
    refusal: null,
  };
  it.each([
    [broker, ['broker.ok']],
    [{ ...broker, latency_ms: null, problem: 'ETIMEDOUT' }, ['broker.unreachable']],
    [{ ...broker, refusal: 'Not authorized' }, ['broker.refused']],
    [
      { ...broker, certificate, authority_ends_ms: [NOW + 400 * DAY_MS] },
      ['broker.ok', 'certificate.ok', 'authority.ok'],
    ],
    [{ ...broker, authority_ends_ms: [NOW + 59 * DAY_MS] }, ['broker.ok', 'authority.near_end']],
    [{ ...broker, authority_ends_ms: [NOW - DAY_MS, NOW - 2 * DAY_MS] }, ['broker.ok', 'authority.ended']],
    [{ ...broker, authority_ends_ms: [NOW - DAY_MS, NOW + 100 * DAY_MS] }, ['broker.ok', 'authority.ok']],
  ])('broker %j', (facts, ids) => {
    expect(idsOf(decideBroker(facts))).toEqual(ids);
  });
});

describe('the gateway itself', () => {
  it('its cloud, connection, service, store and queue', () => {
    expect(idsOf(decideMembership({ cloud: null, is_configured: null }))).toEqual(['gateway.unclaimed']);
    expect(idsOf(decideMembership({ cloud: 'https://c', is_configured: null }))).toEqual(['gateway.claimed']);
    expect(idsOf(decideMembership({ cloud: 'https://c', is_configured: false }))).toEqual([
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
