import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import {
  type Candidate,
  type CommandEffect,
  type CommandInput,
  type CommandState,
  type GatewayAnswer,
  latestStartMs,
  NEW_COMMAND,
  nextCommand,
  storedCommand,
} from '../../../cloud/equipment/command/command-machine.js';
import { GATEWAY_ERROR_MESSAGES, type GatewayErrorType, LINK_ERROR_TYPES } from '../../../shared/errors.js';

const STRONG: Candidate = { gateway_id: 1, rssi: -50 };
const WEAK: Candidate = { gateway_id: 2, rssi: -80 };
const TYPES = Object.keys(GATEWAY_ERROR_MESSAGES).map(Number) as GatewayErrorType[];

const failed = (type: GatewayErrorType, authenticated: boolean): GatewayAnswer => ({
  outcome: 'failed',
  type,
  authenticated,
});
const answer = (gateway_id: number, given: GatewayAnswer): CommandInput => ({
  type: 'answer',
  gateway_id,
  answer: given,
});

/** Takes the inputs one after the other; returns the last state and all effects. */
function play(inputs: CommandInput[], candidates: Candidate[] = [STRONG, WEAK]) {
  let state: CommandState = NEW_COMMAND;
  const effects: CommandEffect[] = [];
  for (const input of inputs) {
    const step = nextCommand(state, input, candidates);
    state = step.state;
    effects.push(...step.effects);
  }
  return { state, effects };
}
const begun = (gateway_id: number) => ({
  type: 'startAttempt',
  candidate: expect.objectContaining({ gateway_id }),
  hasOthers: gateway_id === 1,
});

describe('a command', () => {
  it('begins with the strongest gateway', () => {
    expect(play([{ type: 'begin' }])).toEqual({
      state: { kind: 'trying', attempts: [{ gateway_id: 1, outcome: null }] },
      effects: [{ type: 'startAttempt', candidate: STRONG, hasOthers: true }],
    });
  });

  it('ends at once, unanswered, when nobody can try it', () => {
    const end = { status: 'failed', error: 'Timeout' };
    expect(play([{ type: 'begin' }], [])).toEqual({
      state: { kind: 'ended', end, attempts: [] },
      effects: [{ type: 'end', end }],
    });
  });

  it('ends with its reason when the product can never do it', () => {
    expect(play([{ type: 'impossible', error: 8 }]).state).toMatchObject({ end: { status: 'failed', error: 8 } });
  });

  it('ends with the success of the product', () => {
    const { state, effects } = play([{ type: 'begin' }, answer(1, { outcome: 'succeeded' })]);
    expect(state).toMatchObject({ kind: 'ended', end: { status: 'succeeded' } });
    expect(effects.slice(1)).toEqual([
      { type: 'endAttempt', gateway_id: 1, outcome: 'succeeded' },
      { type: 'end', end: { status: 'succeeded' } },
    ]);
  });

  it.each(TYPES)('type %i: the product ends it with its own word, the link hands over', (type) => {
    const own = play([{ type: 'begin' }, answer(1, failed(type, true))]);
    if (LINK_ERROR_TYPES.has(type)) expect(own.effects.at(-1)).toEqual(begun(2));
    else expect(own.state).toMatchObject({ kind: 'ended', end: { status: 'failed', error: type } });

    const hint = play([{ type: 'begin' }, answer(1, failed(type, false))]);
    expect(hint.effects.at(-1)).toEqual(begun(2));
    expect(hint.state).toMatchObject({ attempts: [{ outcome: `failed:${type}` }, { outcome: null }] });
  });

  it.each([
    [{ type: 'timeout', gateway_id: 1 }, 'timeout'],
    [{ type: 'offline', gateway_id: 1 }, 'offline'],
    [answer(1, { outcome: 'late' }), 'late'],
  ] as const)('hands over after %o', (input, outcome) => {
    const { state, effects } = play([{ type: 'begin' }, input]);
    expect(state).toMatchObject({ kind: 'trying', attempts: [{ gateway_id: 1, outcome }, { gateway_id: 2 }] });
    expect(effects.at(-1)).toEqual(begun(2));
  });

  it('tells the last type that was answered when nobody is left, and Timeout only if none was', () => {
    const silent: CommandInput[] = [
      { type: 'timeout', gateway_id: 1 },
      { type: 'timeout', gateway_id: 2 },
    ];
    expect(play([{ type: 'begin' }, ...silent]).state).toMatchObject({ end: { error: 'Timeout' } });
    const once: CommandInput[] = [answer(1, failed(4, false)), { type: 'timeout', gateway_id: 2 }];
    expect(play([{ type: 'begin' }, ...once]).state).toMatchObject({ end: { error: 4 } });
    const twice = [answer(1, failed(4, false)), answer(2, failed(2, false))];
    expect(play([{ type: 'begin' }, ...twice]).state).toMatchObject({ end: { error: 2 } });
  });

  it('takes a gateway that comes to see the product meanwhile, and asks none twice', () => {
    const { state } = nextCommand(NEW_COMMAND, { type: 'begin' }, [STRONG]);
    const next = nextCommand(state, { type: 'timeout', gateway_id: 1 }, [STRONG, WEAK]);
    expect(next.effects.at(-1)).toEqual(begun(2));
    const last = nextCommand(next.state, { type: 'timeout', gateway_id: 2 }, [STRONG, WEAK]);
    expect(last.state).toMatchObject({ kind: 'ended' });
  });

  describe('whose gateway answers after its time', () => {
    const handedOver: CommandInput[] = [{ type: 'begin' }, { type: 'timeout', gateway_id: 1 }];

    it('succeeds by that, and lets the other attempt end as it may', () => {
      const { state } = play([...handedOver, answer(1, { outcome: 'succeeded' })]);
      expect(state).toMatchObject({
        end: { status: 'succeeded' },
        attempts: [{ outcome: 'succeeded' }, { outcome: null }],
      });
      expect(nextCommand(state, { type: 'timeout', gateway_id: 2 }, [])).toMatchObject({
        effects: [{ type: 'endAttempt', gateway_id: 2, outcome: 'timeout' }],
      });
    });

    it('does not fail by that: the one that tries now brings the newer word', () => {
      const { state, effects } = play([...handedOver, answer(1, failed(6, true))]);
      expect(state).toMatchObject({ kind: 'trying', attempts: [{ outcome: 'failed:6' }, { outcome: null }] });
      expect(effects.at(-1)).toEqual({ type: 'endAttempt', gateway_id: 1, outcome: 'failed:6' });
      expect(nextCommand(state, { type: 'timeout', gateway_id: 2 }, []).state).toMatchObject({ end: { error: 6 } });
    });

    it('remains a timeout when the gateway has only its own link to tell of', () => {
      const { state, effects } = play([...handedOver, answer(1, failed(3, false))]);
      expect(state).toMatchObject({ attempts: [{ outcome: 'timeout' }, { outcome: null }] });
      expect(effects.at(-1)).toEqual(begun(2));
      expect(nextCommand(state, { type: 'timeout', gateway_id: 2 }, []).state).toMatchObject({
        end: { error: 'Timeout' },
      });
    });

    it('tells of the product only, once, when it has ended', () => {
      const ended = play([{ type: 'begin' }, { type: 'timeout', gateway_id: 1 }], [STRONG]).state;
      const late = nextCommand(ended, answer(1, { outcome: 'succeeded' }), []);
      expect(late.effects).toEqual([
        { type: 'endAttempt', gateway_id: 1, outcome: 'succeeded' },
        { type: 'journalLate' },
      ]);
      expect(late.state).toMatchObject({ end: { status: 'failed', error: 'Timeout' } });
      expect(nextCommand(late.state, answer(1, { outcome: 'succeeded' }), []).effects).toEqual([]);
    });
  });

  it('refuses what cannot be', () => {
    const trying = play([{ type: 'begin' }]).state;
    expect(() => nextCommand(trying, { type: 'begin' }, [])).toThrow('trying');
    expect(() => nextCommand(trying, { type: 'timeout', gateway_id: 9 }, [])).toThrow('gateway 9');
    expect(() => nextCommand(NEW_COMMAND, { type: 'offline', gateway_id: 1 }, [])).toThrow('gateway 1');
    expect(() => storedCommand({ end: null, attempts: [{ gateway_id: 1, outcome: 'failed:99' }] })).toThrow(
      'failed:99',
    );
  });

  it('is late when all its gateways could have had their time, and no sooner', () => {
    const command = { created_at: 1_000, attempts: 2, waitMs: 30_000 };
    expect(latestStartMs(command)).toBeGreaterThanOrEqual(61_000);
    expect(latestStartMs(command)).toBeLessThan(61_000 + 30_000);
  });
});

describe('whatever gateways do', () => {
  const gatewayAnswer: fc.Arbitrary<GatewayAnswer> = fc.oneof(
    fc.constant<GatewayAnswer>({ outcome: 'succeeded' }),
    fc.constant<GatewayAnswer>({ outcome: 'late' }),
    fc.record({
      outcome: fc.constant('failed' as const),
      type: fc.constantFrom(...TYPES),
      authenticated: fc.boolean(),
    }),
  );
  const happening = fc.record({
    of: fc.nat(5),
    what: fc.oneof(
      fc.constant({ type: 'timeout' as const }),
      fc.constant({ type: 'offline' as const }),
      gatewayAnswer.map((given) => ({ type: 'answer' as const, answer: given })),
    ),
    /** Which gateways see the product then. */
    seeing: fc.subarray([1, 2, 3, 4, 5]),
  });

  it('a command ends once, asks each gateway once and one at a time, and is the same from its rows', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 40 }), fc.subarray([1, 2, 3, 4, 5]), (happenings, seeing) => {
        const candidates = (ids: number[]) => ids.map((gateway_id) => ({ gateway_id, rssi: -60 }));
        let { state, effects } = nextCommand(NEW_COMMAND, { type: 'begin' }, candidates(seeing));
        const all = [...effects];
        const apply = (input: CommandInput, ids: number[]) => {
          const stored =
            state.kind === 'ended'
              ? storedCommand({ end: state.end, attempts: state.attempts })
              : storedCommand({ end: null, attempts: state.kind === 'trying' ? state.attempts : [] });
          expect(stored).toEqual(state);
          ({ state, effects } = nextCommand(stored, input, candidates(ids)));
          all.push(...effects);
        };
        for (const { of, what, seeing: ids } of happenings) {
          if (state.kind === 'new') throw new Error('it has begun');
          const gateway_id = state.attempts[of % Math.max(1, state.attempts.length)]?.gateway_id;
          if (gateway_id === undefined) break;
          apply({ ...what, gateway_id } as CommandInput, ids);
          if (state.kind === 'trying') {
            expect(state.attempts.map(({ outcome }) => outcome === null)).toEqual(
              state.attempts.map((_, index, { length }) => index === length - 1),
            );
          }
        }
        // Time alone ends it: whoever is asked has only so much of it.
        for (let gateways = 0; state.kind === 'trying'; gateways++) {
          expect(gateways).toBeLessThan(6);
          apply({ type: 'timeout', gateway_id: state.attempts.at(-1)?.gateway_id ?? 0 }, [1, 2, 3, 4, 5]);
        }
        expect(all.filter(({ type }) => type === 'end')).toHaveLength(1);
        const asked = all.flatMap((effect) => (effect.type === 'startAttempt' ? [effect.candidate.gateway_id] : []));
        expect(new Set(asked).size).toBe(asked.length);
      }),
    );
  });
});
