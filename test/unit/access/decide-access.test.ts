import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { type AccessDecision, type AccessFacts, decideAccess } from '../../../shared/access/decide-access.js';
import type { Uid } from '../../../shared/ids.js';
import { runs } from '../../depth.js';

const OWN = '00000000-0000-7000-8000-000000000001' as Uid;
const ALIKE = '00000000-0000-7000-8000-000000000002' as Uid;
const NEW = '00000000-0000-7000-8000-000000000003' as Uid;
const NOW = Date.UTC(2026, 0, 15, 12);
const MINUTE = 60_000;

/** The decision without its rule, which `explain-access.test.ts` shows. */
type Decided = Omit<AccessDecision, 'rule'>;

type Change = {
  [Key in keyof AccessFacts]?: AccessFacts[Key] extends object ? Partial<AccessFacts[Key]> : AccessFacts[Key];
};

/** A vehicle at an entry with a tariff and room, known to nobody. */
function facts(direction: 'in' | 'out' | 'undefined', change: Change = {}): AccessFacts {
  const { read, camera, zone, ...rest } = change;
  return {
    read: { direction, event_ms: NOW, retransmission: false, age_ms: 100, ...read },
    camera: { lpr_position: 'in/out', debounce_ms: 15_000, ...camera },
    previous_read: null,
    whitelisted: false,
    zone: { has_tariff: true, spot_count: 10, occupied_count: 3, ...zone },
    own_session: null,
    look_alike_session: null,
    ended_by_look_alike: false,
    cut_off: false,
    offline_exit: 'open',
    new_session_uid: NEW,
    ...(rest as Partial<AccessFacts>),
  };
}

const BEFORE = { elapsed_ms: 1_000, opening_failed: false };
const PASSED = { elapsed_ms: 4_000, opening_failed: false, admitted: true, other_direction: true };

const BEGIN = { effect: 'begin', session_uid: NEW, ended_session_uid: null } as const;

function triggered(reason: AccessDecision['access_decision_reason'], session: AccessDecision['session']): Decided {
  return {
    access_decision: 'triggered',
    access_decision_reason: reason,
    session,
    lot_entry: { is_allowed: true },
    opens: true,
    debounced: false,
  };
}

function denied(reason: AccessDecision['access_decision_reason']): Decided {
  return {
    access_decision: 'denied',
    access_decision_reason: reason,
    session: null,
    lot_entry: reason === 'debounce' ? null : { is_allowed: false },
    opens: false,
    debounced: reason === 'debounce',
  };
}

/** What a late retransmission leaves of a decision. */
function accounted(session: AccessDecision['session'], isAllowed = true): Decided {
  return {
    access_decision: null,
    access_decision_reason: null,
    session,
    lot_entry: { is_allowed: isAllowed },
    opens: false,
    debounced: false,
  };
}

const NOTHING: Decided = {
  access_decision: null,
  access_decision_reason: null,
  session: null,
  lot_entry: null,
  opens: false,
  debounced: false,
};

const own = (agoMs: number) => ({ uid: OWN, began_ms: NOW - agoMs });
const alike = (agoMs: number) => ({ uid: ALIKE, began_ms: NOW - agoMs });
const LATE = { retransmission: true, age_ms: 30_001 };
const END_OWN = { effect: 'end', session_uid: OWN, look_alike: false } as const;
const END_ALIKE = { effect: 'end', session_uid: ALIKE, look_alike: true } as const;

describe('decideAccess', () => {
  it.each<[string, AccessFacts, Decided]>([
    ['1: direction undefined has no decision, even whitelisted', facts('undefined', { whitelisted: true }), NOTHING],
    ['1: a late retransmission opens nothing, its session begins', facts('in', { read: LATE }), accounted(BEGIN)],
    [
      '1: a late retransmission ends the session it would have ended',
      facts('out', { read: LATE, own_session: own(MINUTE) }),
      accounted(END_OWN),
    ],
    [
      '1: a late retransmission ends no session that began after it',
      facts('out', { read: LATE, own_session: own(-MINUTE), look_alike_session: alike(-MINUTE) }),
      accounted(null, false),
    ],
    [
      '1: a late retransmission that would have been denied is an entry not allowed',
      facts('in', { read: LATE, zone: { has_tariff: false } }),
      accounted(null, false),
    ],
    [
      '1: a late retransmission that would have been debounced leaves nothing',
      facts('in', { read: LATE, previous_read: { elapsed_ms: 1_000, opening_failed: false } }),
      { ...NOTHING, debounced: true },
    ],
    [
      '1: a retransmission nobody can date is late',
      facts('in', { read: { retransmission: true, age_ms: Infinity } }),
      accounted(BEGIN),
    ],
    [
      '1: a retransmission of 30 s is a read like any other',
      facts('in', { read: { retransmission: true, age_ms: 30_000 } }),
      triggered('tariff', BEGIN),
    ],
    [
      '1: a late read that is no retransmission is a read like any other',
      facts('in', { read: { age_ms: 3_600_000 } }),
      triggered('tariff', BEGIN),
    ],
    [
      '2: the same plate and direction within debounce_time, even whitelisted',
      facts('in', { whitelisted: true, previous_read: { elapsed_ms: 14_999, opening_failed: false } }),
      denied('debounce'),
    ],
    [
      '2: not after debounce_time',
      facts('in', { previous_read: { elapsed_ms: 15_000, opening_failed: false } }),
      triggered('tariff', BEGIN),
    ],
    [
      '2: not when the opening after the read failed',
      facts('in', { previous_read: { elapsed_ms: 1_000, opening_failed: true } }),
      triggered('tariff', BEGIN),
    ],
    [
      '2: never with a debounce_time of 0',
      facts('in', { camera: { debounce_ms: 0 }, previous_read: { elapsed_ms: 0, opening_failed: false } }),
      triggered('tariff', BEGIN),
    ],
    [
      '2: in again, admitted before and inside',
      facts('in', { own_session: own(1_000), previous_read: { ...BEFORE, admitted: true } }),
      denied('debounce'),
    ],
    [
      '2: in without the session that the read before began is no repeat',
      facts('in', { previous_read: { ...BEFORE, admitted: true } }),
      triggered('tariff', BEGIN),
    ],
    [
      '2: in without a session, refused before',
      facts('in', { previous_read: BEFORE, zone: { has_tariff: false } }),
      denied('debounce'),
    ],
    [
      '2: a late read of an entry whose stay has ended since begins no other one',
      facts('in', { read: LATE, previous_read: { ...BEFORE, admitted: true } }),
      { ...NOTHING, debounced: true },
    ],
    [
      '2: one passage seen by two cameras that know no directions ends no stay',
      facts('out', { own_session: own(29_999), previous_read: { ...PASSED, elapsed_ms: 29_999 } }),
      denied('debounce'),
    ],
    ['2: and begins none', facts('in', { previous_read: PASSED }), denied('debounce')],
    [
      '2: not 30 s later',
      facts('out', { own_session: own(30_000), previous_read: { ...PASSED, elapsed_ms: 30_000 } }),
      triggered('session_exit', { effect: 'end', session_uid: OWN, look_alike: false }),
    ],
    [
      '2: a letter that a second camera misread is no second vehicle',
      facts('in', { previous_read: { ...BEFORE, admitted: true, other_plate: true } }),
      denied('debounce'),
    ],
    [
      '2: not 5 s later',
      facts('in', { previous_read: { ...BEFORE, elapsed_ms: 5_000, other_plate: true } }),
      triggered('tariff', BEGIN),
    ],
    [
      '2: a known plate is a vehicle of its own',
      facts('in', { whitelisted: true, previous_read: { ...BEFORE, other_plate: true } }),
      triggered('whitelist', BEGIN),
    ],
    [
      '2: so is one with a session of its own',
      facts('out', { own_session: own(MINUTE), previous_read: { ...BEFORE, other_plate: true } }),
      triggered('session_exit', { effect: 'end', session_uid: OWN, look_alike: false }),
    ],
    [
      '2 before 3: debounced before the direction is looked at',
      facts('out', {
        camera: { lpr_position: 'in' },
        previous_read: { elapsed_ms: 1_000, opening_failed: false },
      }),
      denied('debounce'),
    ],
    [
      '3: out at a camera of the entry, even whitelisted and with a session',
      facts('out', { camera: { lpr_position: 'in' }, whitelisted: true, own_session: own(MINUTE) }),
      denied('direction_mismatch'),
    ],
    ['3: in at a camera of the exit', facts('in', { camera: { lpr_position: 'out' } }), denied('direction_mismatch')],
    ['3: in at a camera of the entry', facts('in', { camera: { lpr_position: 'in' } }), triggered('tariff', BEGIN)],
    [
      '4: whitelisted, full and without a tariff',
      facts('in', { whitelisted: true, zone: { has_tariff: false, spot_count: 1, occupied_count: 5 } }),
      triggered('whitelist', BEGIN),
    ],
    ['4: no tariff in the zone', facts('in', { zone: { has_tariff: false } }), denied('no_tariff')],
    [
      '4: no tariff before full',
      facts('in', { zone: { has_tariff: false, spot_count: 1, occupied_count: 1 } }),
      denied('no_tariff'),
    ],
    ['4: full', facts('in', { zone: { spot_count: 10, occupied_count: 10 } }), denied('max_capacity')],
    ['4: one place left', facts('in', { zone: { spot_count: 10, occupied_count: 9 } }), triggered('tariff', BEGIN)],
    ['4: unlimited', facts('in', { zone: { spot_count: 0, occupied_count: 100_000 } }), triggered('tariff', BEGIN)],
    [
      '4: a session of the last 5 minutes is kept',
      facts('in', { own_session: own(5 * MINUTE) }),
      triggered('tariff', { effect: 'keep', session_uid: OWN }),
    ],
    [
      '4: an older session ends as the new one begins',
      facts('in', { own_session: own(5 * MINUTE + 1) }),
      triggered('tariff', { effect: 'begin', session_uid: NEW, ended_session_uid: OWN }),
    ],
    [
      '4: a whitelisted vehicle keeps its session alike',
      facts('in', { whitelisted: true, own_session: own(MINUTE) }),
      triggered('whitelist', { effect: 'keep', session_uid: OWN }),
    ],
    [
      '4: look-alikes mean nothing at an entry',
      facts('in', { look_alike_session: alike(MINUTE), ended_by_look_alike: true }),
      triggered('tariff', BEGIN),
    ],
    ['5: an open session', facts('out', { own_session: own(MINUTE) }), triggered('session_exit', END_OWN)],
    [
      '5: an exact match before any look-alike',
      facts('out', { own_session: own(MINUTE), look_alike_session: alike(MINUTE) }),
      triggered('session_exit', END_OWN),
    ],
    [
      '5: the only look-alike',
      facts('out', { look_alike_session: alike(MINUTE) }),
      triggered('session_exit', END_ALIKE),
    ],
    [
      '5: a plate whose own session a look-alike ended leaves without a session',
      facts('out', { ended_by_look_alike: true, look_alike_session: alike(MINUTE) }),
      triggered('session_exit', null),
    ],
    [
      '5: a session before the whitelist',
      facts('out', { whitelisted: true, own_session: own(MINUTE) }),
      triggered('session_exit', END_OWN),
    ],
    ['5: whitelisted without a session', facts('out', { whitelisted: true }), triggered('whitelist', null)],
    [
      '5: whitelisted before cut off',
      facts('out', { whitelisted: true, cut_off: true, offline_exit: 'deny' }),
      triggered('whitelist', null),
    ],
    [
      '5: cut off, offline_exit open',
      facts('out', { cut_off: true, offline_exit: 'open' }),
      triggered('session_exit', null),
    ],
    [
      '5: cut off, offline_exit deny',
      facts('out', { cut_off: true, offline_exit: 'deny' }),
      denied('no_active_session'),
    ],
    ['5: nothing known', facts('out'), denied('no_active_session')],
    [
      '5: zone rules mean nothing at an exit',
      facts('out', { own_session: own(MINUTE), zone: { has_tariff: false, spot_count: 1, occupied_count: 9 } }),
      triggered('session_exit', END_OWN),
    ],
  ])('%s', (_, given, decision) => {
    expect(decideAccess(given)).toMatchObject(decision);
  });
});

const session = fc.option(fc.record({ uid: fc.constantFrom(OWN, ALIKE), began_ms: fc.integer() }));
const anyFacts: fc.Arbitrary<AccessFacts> = fc.record({
  read: fc.record({
    direction: fc.constantFrom('in' as const, 'out' as const, 'undefined' as const),
    event_ms: fc.integer(),
    retransmission: fc.boolean(),
    age_ms: fc.oneof(fc.integer(), fc.double()),
  }),
  camera: fc.record({
    lpr_position: fc.constantFrom('in' as const, 'out' as const, 'in/out' as const),
    debounce_ms: fc.double(),
  }),
  previous_read: fc.option(
    fc.record(
      {
        elapsed_ms: fc.double(),
        opening_failed: fc.boolean(),
        admitted: fc.boolean(),
        other_direction: fc.boolean(),
        other_plate: fc.boolean(),
      },
      { requiredKeys: ['elapsed_ms', 'opening_failed'] },
    ),
  ),
  whitelisted: fc.boolean(),
  zone: fc.record({ has_tariff: fc.boolean(), spot_count: fc.nat(), occupied_count: fc.nat() }),
  own_session: session,
  look_alike_session: session,
  ended_by_look_alike: fc.boolean(),
  cut_off: fc.boolean(),
  offline_exit: fc.constantFrom('open' as const, 'deny' as const),
  new_session_uid: fc.constant(NEW),
});

function holds(check: (given: AccessFacts, decision: AccessDecision) => void): void {
  fc.assert(
    fc.property(anyFacts, (given) => {
      check(given, decideAccess(given));
    }),
    { numRuns: runs(1_000) },
  );
}

describe('decideAccess, whatever the facts', () => {
  it('opens exactly what is triggered', () => {
    holds((_, decision) => expect(decision.opens).toBe(decision.access_decision === 'triggered'));
  });

  it('has a reason exactly where it has a decision', () => {
    holds((_, decision) => expect(decision.access_decision_reason === null).toBe(decision.access_decision === null));
  });

  it('touches no session when it denies, nor where the entry is not allowed', () => {
    holds((_, decision) => {
      if (decision.access_decision === 'denied') expect(decision.session).toBeNull();
      if (decision.lot_entry?.is_allowed !== true) expect(decision.session).toBeNull();
    });
  });

  it('counts every read of known direction that is not debounced as a lot entry', () => {
    holds(({ read }, decision) =>
      expect(decision.lot_entry !== null).toBe(read.direction !== 'undefined' && !decision.debounced),
    );
  });

  it('always opens for a whitelisted vehicle that comes in at an entry, unless debounced or late', () => {
    holds((given, decision) => {
      const { read, camera, whitelisted } = given;
      if (read.direction !== 'in' || camera.lpr_position === 'out' || !whitelisted) return;
      if (decision.debounced || (read.retransmission && !(read.age_ms <= 30_000))) return;
      expect(decision).toMatchObject({ access_decision: 'triggered', access_decision_reason: 'whitelist' });
    });
  });

  it('begins or keeps sessions only at entries and ends them only at exits', () => {
    holds(({ read }, { session: effect }) => {
      if (effect !== null) expect(effect.effect === 'end').toBe(read.direction === 'out');
    });
  });

  it('decides the same of the same facts', () => {
    holds((given, decision) => expect(decideAccess(structuredClone(given))).toEqual(decision));
  });
});
