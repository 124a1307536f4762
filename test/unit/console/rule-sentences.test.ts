import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { CONSOLE_WORDS as de } from '../../../cloud/console/wording/de.js';
import { CONSOLE_WORDS as en } from '../../../cloud/console/wording/en.js';
import { CONSOLE_WORDS as hr } from '../../../cloud/console/wording/hr.js';
import { CONSOLE_WORDS as hu } from '../../../cloud/console/wording/hu.js';
import { otherSentence, ruleSentence } from '../../../cloud/console/wording/rule-sentences.js';
import { ACCESS_RULES } from '../../../shared/access/access-rules.js';
import type { AccessTrace } from '../../../shared/access/access-trace.js';
import { decideAccess } from '../../../shared/access/decide-access.js';
import { askedRules, factsOf, whatWouldChange } from '../../../shared/access/explain-access.js';

const age = fc.option(fc.integer({ min: 0, max: 90_000_000 }), { nil: null });
const anyTrace = fc
  .record({
    plate: fc.constant('AB123CD'),
    direction: fc.constantFrom('in', 'out', 'undefined'),
    retransmission: fc.boolean(),
    age_ms: age,
    lpr_position: fc.constantFrom('in', 'out', 'in/out'),
    debounce_ms: fc.integer({ min: 0, max: 60_000 }),
    previous_read: fc.option(
      fc.record({ elapsed_ms: fc.integer({ min: 0, max: 90_000 }), opening_failed: fc.boolean() }),
      { nil: null },
    ),
    whitelisted: fc.boolean(),
    has_tariff: fc.boolean(),
    spot_count: fc.integer({ min: 0, max: 3 }),
    occupied_count: fc.integer({ min: 0, max: 4 }),
    own_session_age_ms: age,
    look_alike_session_age_ms: age,
    ended_by_look_alike: fc.boolean(),
    cut_off: fc.boolean(),
    offline_exit: fc.constantFrom('open', 'deny'),
  })
  .map((parts) => ({ ...parts, rule: 'plate' }) as AccessTrace);

describe('the rules of a decision, in words', () => {
  it('say in each language what every rule saw, and what would have changed it', () => {
    const rules = new Set<string>();
    const facts = new Set<string>();
    fc.assert(
      fc.property(anyTrace, (given) => {
        const decision = decideAccess(factsOf(given));
        const trace = { ...given, rule: decision.rule };
        for (const words of [en, de, hr, hu]) {
          for (const asked of askedRules(trace, decision)) {
            rules.add(asked.rule);
            expect([asked, ruleSentence(asked, words)]).toEqual([asked, expect.stringMatching(/^[\p{Lu}\d].*\.$/u)]);
            expect(ruleSentence(asked, words)).not.toMatch(/NaN|undefined|null/);
            expect(words.rules.names[asked.rule]).toEqual(expect.stringMatching(/\p{L}/u));
            expect(words.rules.outcomes[asked.outcome]).toEqual(expect.stringMatching(/\p{L}/u));
          }
          for (const other of whatWouldChange(trace, decision)) {
            facts.add(other.fact);
            const sentence = otherSentence(other, trace.direction, words);
            expect([other, sentence]).toEqual([other, expect.stringMatching(/ – \p{Lu}/u)]);
            expect(sentence).not.toMatch(/NaN|undefined|null/);
          }
        }
      }),
      // So many from this beginning meet every rule.
      { numRuns: 2_000, seed: 4 },
    );
    expect([...rules].toSorted()).toEqual([...ACCESS_RULES].toSorted());
    expect(facts.size).toBeGreaterThan(10);
  });

  it('read like this', () => {
    const sentence = (rule: string, facts: Record<string, string | number | null>) => ruleSentence({ rule, facts }, en);
    expect(sentence('debounce', { debounce_ms: 15_000, elapsed_ms: 4_000, opening_failed: 0 })).toBe(
      'Read 4 s before: within 15 s that is the same vehicle.',
    );
    expect(sentence('tariff', { has_tariff: 1, spot_count: 40, occupied_count: 40 })).toBe(
      'Others may park here for a fee. 40 of 40 are taken.',
    );
    expect(sentence('session_exit', { own_session_age_ms: 7_500_000, ended_by_look_alike: 0 })).toBe(
      'Its stay began 2 h 5 min before.',
    );
    expect(sentence('of a later version', {})).toBe('');
    const other = { fact: 'has_tariff', instead: 1, access_decision: 'triggered', access_decision_reason: 'tariff' };
    expect(otherSentence(other, 'in', en)).toBe('with a tariff in the zone – Let in: parks for a fee.');
    expect(otherSentence({ ...other, fact: 'of a later version' }, 'in', en)).toBeNull();
  });
});
