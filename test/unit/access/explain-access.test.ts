import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { ACCESS_RULES } from '../../../shared/access/access-rules.js';
import { type AccessTrace, accessTraceSchema } from '../../../shared/access/access-trace.js';
import { type AccessFacts, decideAccess } from '../../../shared/access/decide-access.js';
import { askedRules, factsOf, traceOf, whatWouldChange } from '../../../shared/access/explain-access.js';
import type { Uid } from '../../../shared/ids.js';
import { RECORD_BYTES_MAX } from '../../../shared/uplink-bounds.js';
import { runs } from '../../depth.js';

const NOW = Date.UTC(2026, 0, 15, 12);
const OWN = '00000000-0000-7000-8000-000000000001' as Uid;

const entry: AccessFacts = {
  read: { direction: 'in', event_ms: NOW, retransmission: false, age_ms: 100.4 },
  camera: { lpr_position: 'in/out', debounce_ms: 15_000 },
  previous_read: null,
  whitelisted: false,
  zone: { has_tariff: true, spot_count: 10, occupied_count: 3 },
  own_session: null,
  look_alike_session: null,
  ended_by_look_alike: false,
  cut_off: false,
  offline_exit: 'open',
  new_session_uid: OWN,
};
const exit: AccessFacts = { ...entry, read: { ...entry.read, direction: 'out' } };

function explained(facts: AccessFacts) {
  const decision = decideAccess(facts);
  const trace = traceOf(facts, { rule: decision.rule, plate: 'ZG1234AB' });
  return { decision, trace, rules: askedRules(trace, decision), would_change: whatWouldChange(trace, decision) };
}

const steps = (facts: AccessFacts) => explained(facts).rules.map(({ rule, outcome }) => `${rule} ${outcome}`);
const BEFORE = ['plate passed', 'direction passed', 'retransmission passed'];
const PASSED = [...BEFORE, 'debounce passed', 'direction_mismatch passed'];

describe('the rules of a decision', () => {
  it.each<[string, AccessFacts, string[]]>([
    ['a tariff', entry, [...PASSED, 'whitelist passed', 'tariff admitted']],
    ['a member', { ...entry, whitelisted: true }, [...PASSED, 'whitelist admitted']],
    [
      'no tariff',
      { ...entry, zone: { ...entry.zone, has_tariff: false } },
      [...PASSED, 'whitelist passed', 'tariff denied'],
    ],
    [
      'full',
      { ...entry, zone: { ...entry.zone, occupied_count: 10 } },
      [...PASSED, 'whitelist passed', 'tariff passed', 'max_capacity denied'],
    ],
    [
      'a repeat',
      { ...entry, previous_read: { elapsed_ms: 4_000.5, opening_failed: false } },
      [...BEFORE, 'debounce denied'],
    ],
    [
      'the wrong way',
      { ...exit, camera: { ...exit.camera, lpr_position: 'in' } },
      [...BEFORE, 'debounce passed', 'direction_mismatch denied'],
    ],
    [
      'an exit with a session',
      { ...exit, own_session: { uid: OWN, began_ms: NOW - 60_000 } },
      [...PASSED, 'session_exit admitted'],
    ],
    ['a member at the exit', { ...exit, whitelisted: true }, [...PASSED, 'session_exit passed', 'whitelist admitted']],
    [
      'an unknown plate at the exit',
      exit,
      [...PASSED, 'session_exit passed', 'whitelist passed', 'offline_exit denied'],
    ],
    [
      'an exit while cut off',
      { ...exit, cut_off: true },
      [...PASSED, 'session_exit passed', 'whitelist passed', 'offline_exit admitted'],
    ],
    [
      'an unknown direction',
      { ...entry, read: { ...entry.read, direction: 'undefined' } },
      ['plate passed', 'direction undecided'],
    ],
    [
      'a late retransmission',
      { ...entry, read: { ...entry.read, retransmission: true, age_ms: Infinity } },
      ['plate passed', 'direction passed', 'retransmission undecided'],
    ],
  ])('are told for %s in their order, up to the one that decided', (_, facts, expected) => {
    expect(steps(facts)).toEqual(expected);
  });

  it('come with the facts that each saw', () => {
    const { rules } = explained({ ...exit, previous_read: { elapsed_ms: 20_000, opening_failed: true } });
    expect(Object.fromEntries(rules.map(({ rule, facts }) => [rule, facts]))).toEqual({
      plate: { plate: 'ZG1234AB' },
      direction: { direction: 'out' },
      retransmission: { retransmission: 0, age_ms: 100, age_max_ms: 30_000 },
      debounce: { debounce_ms: 15_000, elapsed_ms: 20_000, opening_failed: 1 },
      direction_mismatch: { direction: 'out', lpr_position: 'in/out' },
      session_exit: { own_session_age_ms: null, ended_by_look_alike: 0, look_alike_session_age_ms: null },
      whitelist: { whitelisted: 0 },
      offline_exit: { cut_off: 0, offline_exit: 'open' },
    });
  });
});

describe('what would have changed the outcome', () => {
  it('names the facts of a full zone', () => {
    const { would_change } = explained({ ...entry, zone: { ...entry.zone, occupied_count: 12 } });
    expect(would_change).toEqual([
      { fact: 'whitelisted', value: 0, instead: 1, access_decision: 'triggered', access_decision_reason: 'whitelist' },
      { fact: 'occupied_count', value: 12, instead: 9, access_decision: 'triggered', access_decision_reason: 'tariff' },
      { fact: 'spot_count', value: 10, instead: 0, access_decision: 'triggered', access_decision_reason: 'tariff' },
    ]);
  });

  it('names the time that a repeat was too early by', () => {
    const { would_change } = explained({ ...entry, previous_read: { elapsed_ms: 4_000, opening_failed: false } });
    const tariff = { access_decision: 'triggered', access_decision_reason: 'tariff' };
    expect(would_change).toContainEqual({ fact: 'elapsed_ms', value: 4_000, instead: 15_000, ...tariff });
    expect(would_change).toContainEqual({ fact: 'opening_failed', value: 0, instead: 1, ...tariff });
  });

  it('names what kept a read from a decision', () => {
    const lost = explained({ ...entry, read: { ...entry.read, direction: 'undefined' } }).would_change;
    expect(lost).toContainEqual({
      fact: 'direction',
      value: 'undefined',
      instead: 'in',
      access_decision: 'triggered',
      access_decision_reason: 'tariff',
    });
    const late = explained({ ...entry, read: { ...entry.read, retransmission: true, age_ms: 31_000 } }).would_change;
    expect(late[0]).toMatchObject({ fact: 'retransmission', value: 1, instead: 0, access_decision: 'triggered' });
  });
});

const session = fc.option(
  fc.record({ uid: fc.constant(OWN), began_ms: fc.integer({ min: NOW - 1e9, max: NOW + 1e6 }) }),
);
const whole = fc.nat({ max: 100_000 });
const anyFacts: fc.Arbitrary<AccessFacts> = fc.record({
  read: fc.record({
    direction: fc.constantFrom('in' as const, 'out' as const, 'undefined' as const),
    event_ms: fc.constant(NOW),
    retransmission: fc.boolean(),
    age_ms: fc.oneof(whole, fc.constant(Infinity)),
  }),
  camera: fc.record({
    lpr_position: fc.constantFrom('in' as const, 'out' as const, 'in/out' as const),
    debounce_ms: whole,
  }),
  previous_read: fc.option(fc.record({ elapsed_ms: whole, opening_failed: fc.boolean() })),
  whitelisted: fc.boolean(),
  zone: fc.record({ has_tariff: fc.boolean(), spot_count: whole, occupied_count: whole }),
  own_session: session,
  look_alike_session: session,
  ended_by_look_alike: fc.boolean(),
  cut_off: fc.boolean(),
  offline_exit: fc.constantFrom('open' as const, 'deny' as const),
  new_session_uid: fc.constant(OWN),
});

describe('a trace, whatever the facts', () => {
  function holds(check: (facts: AccessFacts, trace: AccessTrace) => void): void {
    fc.assert(
      fc.property(anyFacts, (facts) => check(facts, explained(facts).trace)),
      { numRuns: runs(1_000) },
    );
  }

  it('is decided like the facts it was made of, by the same rule', () => {
    holds((facts, trace) => {
      const { session: effect, ...again } = decideAccess(factsOf(trace));
      const { session: first, ...decided } = decideAccess(facts);
      expect(again).toEqual(decided);
      expect(effect?.effect).toBe(first?.effect);
    });
  });

  it('travels as it is, and is small', () => {
    holds((_, trace) => {
      expect(accessTraceSchema.parse(JSON.parse(JSON.stringify(trace)))).toEqual(trace);
      expect(JSON.stringify(trace).length).toBeLessThan(RECORD_BYTES_MAX / 64);
    });
  });

  it('tells rules in the order of the list, all but the last passed, and only what changes the outcome', () => {
    holds((facts) => {
      const { decision, rules, would_change } = explained(facts);
      expect(rules.slice(0, -1).every(({ outcome }) => outcome === 'passed')).toBe(true);
      expect(rules.at(-1)?.outcome).not.toBe('passed');
      expect(rules.every(({ rule }) => ACCESS_RULES.includes(rule))).toBe(true);
      for (const other of would_change) expect(other.access_decision).not.toBe(decision.access_decision);
    });
  });
});
