import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { decideReplay, type ReplayedRead } from '../../../cloud/traffic/access/decide-replay.js';
import { createOpenVehicles, type Stay } from '../../../cloud/traffic/access/open-vehicles.js';
import { type DeclaredAccount, replayRules } from '../../../cloud/traffic/access/replay-rules.js';
import type { AccessTrace } from '../../../shared/access/access-trace.js';
import { runs } from '../../depth.js';
import { TARIFF_TRACE } from '../../world/tariff-trace.js';

const AT = Date.UTC(2026, 0, 15, 12);
const camera = {
  device_id: 'cam-in',
  lpr_position: 'in' as const,
  debounce_time: 15,
  direction_source: 'reported' as const,
  min_confidence: 0,
  product: 'barrier',
};

function account(change: { zone?: object; camera?: object; lot?: object; of?: object } = {}): DeclaredAccount {
  const zone = {
    name: 'Level 0',
    spot_count: 40,
    tariffs: ['Public'],
    products: [{ device_id: 'barrier', bound_licenses: ['zg 777-bb'] }],
    lpr_cameras: [{ ...camera, ...change.camera }],
    ...change.zone,
  };
  return {
    name: 'Harbour',
    lots: [{ name: 'North', offline_exit: 'open', zones: [zone], ...change.lot }],
    members: [
      { plates: ['ZG 1'], groups: ['Residents'], valid_from: null, valid_until: null, blocked_at: null },
      { plates: ['ZG 20', 'ZG 2'], groups: ['Residents'], valid_from: AT - 1, valid_until: AT + 1, blocked_at: null },
    ],
    groups: [{ name: 'Residents', zones: ['Level 0'] }],
    key_logs: [
      {
        product: 'barrier',
        receiver_identifier: 'zg-5',
        receiver_identifier_type: 'license_plate',
        start_time: AT - 1,
        end_time: AT + 1,
      },
    ],
    ...change.of,
  };
}

const trace: AccessTrace = { ...TARIFF_TRACE, plate: 'ZG9', spot_count: 40, occupied_count: 3 };
const read: ReplayedRead = { camera: 'cam-in', confidence: 0.9, created_at: AT, trace };

function reasonOf(
  change: Parameters<typeof account>[0],
  seen: Partial<AccessTrace> = {},
  of: Partial<ReplayedRead> = {},
) {
  const rules = replayRules(account(change), 'North');
  if (rules === null) throw new Error('no such lot');
  const decided = decideReplay({ ...read, ...of, trace: { ...trace, ...seen } }, { rules, occupiedIn: () => 12 });
  return decided === null ? 'no camera' : decided.access_decision_reason;
}

describe('a reading under other rules', () => {
  it.each<[string, Parameters<typeof reasonOf>, string | null]>([
    ['the same rules', [{}], 'tariff'],
    ['a member', [{}, { plate: 'ZG1' }], 'whitelist'],
    ['a member in time', [{}, { plate: 'ZG2' }], 'whitelist'],
    ['a member who has ended', [{}, { plate: 'ZG2' }, { created_at: AT + 1 }], 'tariff'],
    ['a member before the beginning', [{}, { plate: 'ZG2' }, { created_at: AT - 2 }], 'tariff'],
    ['a bound license', [{}, { plate: 'ZG777BB' }], 'whitelist'],
    ['a key', [{}, { plate: 'ZG5' }], 'whitelist'],
    ['a key that has ended', [{}, { plate: 'ZG5' }, { created_at: AT + 1 }], 'tariff'],
    ['a member no more', [{ of: { members: [] } }, { plate: 'ZG1', whitelisted: true }], 'tariff'],
    ['no tariff', [{ zone: { tariffs: [] } }], 'no_tariff'],
    ['fewer places', [{ zone: { spot_count: 3 } }], 'max_capacity'],
    [
      'a limit where there was none, counted by sessions',
      [{ zone: { spot_count: 12 } }, { spot_count: 0, occupied_count: 0 }],
      'max_capacity',
    ],
    [
      'an exit that counts as an entry, counted by sessions',
      [
        { camera: { direction_source: 'position' }, zone: { spot_count: 12 } },
        { direction: 'out', occupied_count: 0 },
      ],
      'max_capacity',
    ],
    ['no limit', [{ zone: { spot_count: 0 } }, { occupied_count: 40 }], 'tariff'],
    [
      'a longer debounce',
      [{ camera: { debounce_time: 60 } }, { previous_read: { elapsed_ms: 30_000, opening_failed: false } }],
      'debounce',
    ],
    ['a camera at the exit', [{ camera: { lpr_position: 'out' } }], 'direction_mismatch'],
    [
      'a camera of which only its place counts',
      [{ camera: { direction_source: 'position', lpr_position: 'in/out' } }],
      null,
    ],
    ['a camera that has to be surer', [{ camera: { min_confidence: 0.95 } }], null],
    ['a camera that is not there', [{ camera: { device_id: 'other' } }], 'no camera'],
    [
      'an exit while cut off',
      [{ camera: { lpr_position: 'in/out' } }, { direction: 'out', cut_off: true }],
      'session_exit',
    ],
    [
      'an exit that stays closed while cut off',
      [
        { camera: { lpr_position: 'in/out' }, lot: { offline_exit: 'deny' } },
        { direction: 'out', cut_off: true },
      ],
      'no_active_session',
    ],
  ])('%s', (_, given, reason) => {
    expect(reasonOf(...given)).toBe(reason);
  });

  it('there are none for a lot that is not declared', () => {
    expect(replayRules(account(), 'South')).toBeNull();
  });
});

describe('vehicles in zones over time', () => {
  it('are counted as by looking at all of them', () => {
    const stay = fc.record({ zone: fc.constantFrom('a', 'b'), began_ms: fc.nat(100), lasts: fc.nat(50) });
    fc.assert(
      fc.property(fc.array(stay, { maxLength: 60 }), (given) => {
        const stays: Stay[] = given
          .map(({ zone, began_ms, lasts }) => ({ zone, began_ms, until_ms: began_ms + lasts }))
          .sort((one, other) => one.began_ms - other.began_ms);
        const vehicles = createOpenVehicles();
        let next = 0;
        for (let at = 0; at < 160; at += 7) {
          for (; (stays[next]?.began_ms ?? Infinity) <= at; next++) vehicles.add(stays[next] as Stay);
          for (const zone of ['a', 'b']) {
            const there = stays.filter((each) => each.zone === zone && each.began_ms <= at && at < each.until_ms);
            expect(vehicles.count(zone, at)).toBe(there.length);
          }
        }
      }),
      { numRuns: runs(200) },
    );
  });
});
