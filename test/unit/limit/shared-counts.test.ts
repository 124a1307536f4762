import { describe, expect, it } from 'vitest';
import { createFailureLimiter } from '../../../cloud/kernel/limit/failure-limiter.js';
import { createGrowingDelay } from '../../../cloud/kernel/limit/growing-delay.js';
import { createRequestLimiter } from '../../../cloud/kernel/limit/request-limiter.js';
import { countSharing } from '../../../cloud/kernel/limit/shared-counts.js';
import type { Peers } from '../../../cloud/kernel/store/peers.js';
import { FakeClock } from '../../world/fake-clock.js';

type Listener = (news: unknown) => void;

/** Two processes, of which each hears the other. */
function twoProcesses(clock: FakeClock) {
  const listeners: [string, Listener][][] = [[], []];
  return [0, 1].map((self) => {
    const peers = {
      notify: (topic: string, news: unknown) => {
        for (const [heard, listener] of listeners[1 - self] ?? []) {
          if (heard === topic) listener(JSON.parse(JSON.stringify(news)));
        }
      },
      onNotice(topic: string, listener: Listener) {
        listeners[self]?.push([topic, listener]);
        return () => {};
      },
    } as unknown as Peers;
    return countSharing({ peers, clock });
  });
}

const wrong = () => Promise.reject(new Error('wrong'));
const right = async () => 'right';

describe('limits of several processes', () => {
  it('count the requests of all, within a moment', async () => {
    const clock = new FakeClock();
    const [one, other] = twoProcesses(clock).map((share) =>
      createRequestLimiter({ requestsPerMin: 10, clock, shared: share('requests') }),
    );
    for (let times = 0; times < 6; times++) one?.count('token');
    for (let times = 0; times < 4; times++) other?.count('token');
    await clock.advance(1_000);
    expect(() => one?.count('token')).toThrow();
    expect(() => other?.count('token')).toThrow();
    other?.count('another token');
    await clock.advance(60_000);
    one?.count('token');
  });

  it('count the failures of all', async () => {
    const clock = new FakeClock();
    const [one, other] = twoProcesses(clock).map((share) =>
      createFailureLimiter({ failuresPerMin: 3, clock, countsAsFailure: () => true, shared: share('logins') }),
    );
    const attempted = { owner: '192.0.2.7', name: 'olga@example.com' };
    for (let times = 0; times < 3; times++) await expect(one?.attempt(attempted, wrong)).rejects.toThrow('wrong');
    await clock.advance(1_000);
    await expect(other?.attempt(attempted, right)).rejects.toMatchObject({ status: 429 });
    expect(await other?.attempt({ ...attempted, name: 'mia@example.com' }, right)).toBe('right');
  });

  it('slow down who guesses at one thing through several', async () => {
    const clock = new FakeClock();
    const [one, other] = twoProcesses(clock).map((share) =>
      createGrowingDelay({ freeFailures: 2, clock, countsAsFailure: () => true, shared: share('sign-ins') }),
    );
    for (let times = 0; times < 2; times++) await expect(one?.attempt('olga', wrong)).rejects.toThrow('wrong');
    await clock.advance(1_000);
    await expect(other?.attempt('olga', wrong)).rejects.toThrow('wrong');
    await expect(other?.attempt('olga', right)).rejects.toMatchObject({ status: 429 });
  });

  it('are not shared where no other process is', () => {
    expect(countSharing({ peers: null, clock: new FakeClock() })('requests')).toBeUndefined();
  });
});
