import { describe, expect, it } from 'vitest';
import { CLIENT_IDLE, type ClientInput, nextClient } from '../../../shared/product-protocol/client-machine.js';
import { createWorld, resultOf, run } from './exchange-world.js';
import { CLIENT_NONCE, crypto, EVENT_ID, mint, NOW_S } from './protocol-fixture.js';

const exchange = {
  credential: mint({}),
  command: { name: 'open' },
  eventId: EVENT_ID,
  clientNonce: CLIENT_NONCE,
} as const;

function after(...inputs: ClientInput[]) {
  return inputs.reduce((step, input) => nextClient(crypto, step.state, input), {
    state: CLIENT_IDLE,
    effects: [] as unknown[],
  } as ReturnType<typeof nextClient>);
}

describe('a client', () => {
  it('says hello', () => {
    expect(after({ type: 'started', exchange })).toEqual({
      state: { phase: 'awaiting_challenge', exchange },
      effects: [{ type: 'send', part: 'hello', message: Uint8Array.of(1, 1, 1) }],
    });
  });

  it('fails with 2 when the link ends, with 3 when no answer comes in time, and hears nothing afterwards', () => {
    const late: ClientInput[] = [
      { type: 'linkClosed' },
      { type: 'timeout' },
      { type: 'message', bytes: Uint8Array.of(0x83, 1, 0, 0, 0, 0) },
    ];
    for (const [input, type] of [
      [{ type: 'linkClosed' }, 2],
      [{ type: 'timeout' }, 3],
    ] as const) {
      const step = after({ type: 'started', exchange }, input);
      expect(step.effects).toEqual([{ type: 'finish', outcome: { kind: 'failed', type } }]);
      for (const more of late) expect(nextClient(crypto, step.state, more)).toEqual({ state: step.state, effects: [] });
    }
  });

  it('takes no impossible input', () => {
    expect(() => after({ type: 'timeout' })).toThrow('before the exchange was started');
    expect(() => after({ type: 'started', exchange }, { type: 'started', exchange })).toThrow('runs already');
    expect(() => after({ type: 'started', exchange }, { type: 'timeout' }, { type: 'started', exchange })).toThrow(
      'over',
    );
  });

  it('ignores what is no CHALLENGE of its version', () => {
    const started = after({ type: 'started', exchange });
    const foreign = Uint8Array.from({ length: 25 }, (_, index) => (index === 0 ? 0x81 : index === 1 ? 2 : 0));
    for (const bytes of [new Uint8Array(0), Uint8Array.of(0x81), foreign, new Uint8Array(256)]) {
      expect(nextClient(crypto, started.state, { type: 'message', bytes })).toEqual({
        state: started.state,
        effects: [],
      });
    }
  });

  it('learns the time of a product from an authentic answer', () => {
    const { outcome } = run(createWorld(), { command: { name: 'status' } });
    expect(outcome).toMatchObject({
      kind: 'answered',
      challenge: { rtcS: NOW_S, flags: { rtcValid: true }, pairingEpoch: 1 },
    });
  });

  it('sets the clock when it gets 9, and tries once more', () => {
    const world = createWorld({ rtcS: null });
    expect(resultOf(run(world, { command: { name: 'open' } }))).toBe('error 9');
    expect(resultOf(run(world, { command: { name: 'set_time', timeS: NOW_S } }))).toBe('ok');
    expect(resultOf(run(world, { command: { name: 'open' } }))).toBe('ok');
    expect(world.motor).toEqual(['opened']);
  });
});
