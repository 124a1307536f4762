import { describe, expect, it } from 'vitest';
import { createFailurePace } from '../../../cloud/kernel/limit/failure-pace.js';
import { QueueFullError } from '../../../shared/flow/semaphore.js';
import { FakeClock, settle } from '../../world/fake-clock.js';

const BUDGET = 60;

class Wrong extends Error {}

interface Sent {
  owner: string;
  /** 'ok', 'wrong', 'full', 'gone'; undefined: it waits. */
  result?: string;
  /** Monotonic milliseconds. */
  answeredAt?: number;
}

function paceOf(failuresPerMin = BUDGET) {
  const clock = new FakeClock();
  const pace = createFailurePace({ failuresPerMin, clock, countsAsFailure: (error) => error instanceof Wrong });
  let checked = 0;

  const resultOf = (error: unknown): string => {
    if (error instanceof Wrong) return 'wrong';
    if (error instanceof QueueFullError) return 'full';
    return 'gone';
  };
  const send = (owner: string, isRight = false, signal = new AbortController().signal): Sent => {
    const sent: Sent = { owner };
    const answer = (result: string) => Object.assign(sent, { result, answeredAt: clock.monotonic() });
    const work = async () => {
      checked += 1;
      if (!isRight) throw new Wrong();
    };
    pace.attempt({ owner, signal }, work).then(
      () => answer('ok'),
      (error: unknown) => answer(resultOf(error)),
    );
    return sent;
  };
  const spend = async () => {
    for (let count = 0; count < failuresPerMin; count++) send(`spent ${count}`);
    await settle();
  };
  return { clock, send, spend, checked: () => checked };
}

describe('the pace of failures', () => {
  it('checks the guesses of thousands of addresses five a second, and one with the right code among them soon', async () => {
    const { clock, send, checked } = paceOf();
    const ADDRESSES = 2_000;
    let guessed = 0;
    const waiting: Sent[] = [];
    const guess = () => void waiting.push(send(`attacker ${guessed++ % ADDRESSES}`));
    // Eight at a time, each of which sends its next guess when it is answered.
    const goOn = () => {
      const answered = waiting.filter(({ result }) => result !== undefined);
      for (const each of answered) waiting.splice(waiting.indexOf(each), 1, send(`attacker ${guessed++ % ADDRESSES}`));
    };
    for (let count = 0; count < 8; count++) guess();
    for (let tenths = 0; tenths < 60; tenths++) {
      goOn();
      await clock.advance(100);
    }
    expect(checked()).toBeGreaterThanOrEqual(BUDGET);
    expect(checked()).toBeLessThanOrEqual(BUDGET + 6 * 5 + 1);
    const begun = clock.monotonic();
    const honest = send('installer', true);
    for (let tenths = 0; tenths < 30 && honest.result === undefined; tenths++) {
      goOn();
      await clock.advance(100);
    }
    expect(honest.result).toBe('ok');
    expect((honest.answeredAt ?? 0) - begun).toBeLessThanOrEqual(2_000);
  });

  it('lets one who has not failed go before a crowd that has, also when all places are taken', async () => {
    const { clock, send, spend } = paceOf();
    await spend();
    const crowd = Array.from({ length: 55 }, (_, at) => send(`spent ${at}`));
    await settle();
    expect(crowd.filter(({ result }) => result === 'full')).toHaveLength(5);
    const honest = send('installer', true);
    await clock.advance(200);
    expect(honest.result).toBe('ok');
    // The newest that waited gave its place.
    expect(crowd.filter(({ result }) => result === 'full').map(({ owner }) => owner)).toContain('spent 49');
    // One who mistyped it comes before those who failed twice by now.
    const mistyped = send('installer 2');
    await clock.advance(200);
    expect(mistyped.result).toBe('wrong');
    await clock.advance(15_000);
    const again = Array.from({ length: 20 }, (_, at) => send(`spent ${at}`));
    const right = send('installer 2', true);
    await clock.advance(200);
    expect(right.result).toBe('ok');
    expect(again.filter(({ result }) => result !== undefined)).toHaveLength(1);
  });

  it('keeps the place in the line of one who comes back as told, before a crowd in which each address guesses once', async () => {
    const { clock, send, spend } = paceOf();
    await spend();
    let made = 0;
    const crowd = async () => {
      for (let count = 0; count < 100; count++) send(`new ${made++}`);
      await settle();
    };
    await crowd();
    const first = send('installer', true);
    await settle();
    expect(first.result).toBe('full');
    await clock.advance(900);
    await crowd();
    await clock.advance(100);
    const second = send('installer', true);
    await clock.advance(9_800);
    expect(second.result).toBe('ok');
    expect((second.answeredAt ?? 0) - (first.answeredAt ?? 0)).toBeLessThanOrEqual(10_200);
  });

  it('answers everybody who waits within ten seconds', async () => {
    const { clock, send, spend } = paceOf();
    await spend();
    const crowd = Array.from({ length: 50 }, (_, at) => send(`new ${at}`));
    await clock.advance(10_000);
    expect(new Set(crowd.map(({ result }) => result))).toEqual(new Set(['wrong']));
    expect(clock.pending).toBe(0);
  });

  it('does not slow down those who succeed, however many come at once, nor anybody a minute later', async () => {
    const { clock, send, spend } = paceOf();
    const fleet = Array.from({ length: 100 }, (_, at) => send(`gateway ${at}`, true));
    await settle();
    expect(fleet.every(({ result }) => result === 'ok')).toBe(true);
    await spend();
    const late = send('gateway', true);
    await settle();
    expect(late.result).toBe(undefined);
    await clock.advance(60_000);
    const crowd = Array.from({ length: 30 }, (_, at) => send(`gateway ${at}`));
    await settle();
    expect(crowd.every(({ result }) => result === 'wrong')).toBe(true);
  });

  it('gives the place of one who went away to the next', async () => {
    const { clock, send, spend } = paceOf();
    await spend();
    const gone = new AbortController();
    const first = send('first', true, gone.signal);
    const second = send('second', true);
    gone.abort();
    await clock.advance(200);
    expect([first.result, second.result]).toEqual(['gone', 'ok']);
  });

  it('has no limit at 0', async () => {
    const { send } = paceOf(0);
    const sent = Array.from({ length: 500 }, () => send('a'));
    await settle();
    expect(sent.every(({ result }) => result === 'wrong')).toBe(true);
  });
});
