/** How long an ONVIF camera is heard whose subscriptions cannot be kept up: it reads a vehicle every five seconds. */
import { describe, expect, it } from 'vitest';
import { type OnvifSession, type OnvifSubscription, PullRefusal } from '../../../agent/lpr/onvif/onvif-client.js';
import { createOnvifSource } from '../../../agent/lpr/onvif/onvif-source.js';
import { type Clock, every, sleep } from '../../../shared/clock.js';
import { FakeClock } from '../../world/fake-clock.js';
import { camera } from './plate-world.js';

const HOUR_MS = 3_600_000;
const VEHICLE_EVERY_MS = 5_000;
const PLACES = 5;

interface Upkeep {
  lifeMs: number;
  renews?: boolean;
  unsubscribes?: boolean;
  /** Its answers to pulls name an end that is so far away. Left out: they name none. */
  pullsExtendMs?: number;
  /** It ends a subscription earlier than its answers to pulls say. */
  lies?: boolean;
  /** Each so many-th pull is not answered. */
  breaksEvery?: number;
}

interface Held {
  endsMonoMs: number;
  plates: string[];
}

/** A camera that keeps what it saw for each subscription, until that is over. */
function cameraWith(upkeep: Upkeep, clock: Clock) {
  const { lifeMs, renews = false, unsubscribes = false, pullsExtendMs, lies = false, breaksEvery = Infinity } = upkeep;
  let open: Held[] = [];
  const counts = { seen: 0, unheard: 0, refused: 0, most: 0 };
  const living = () => (open = open.filter(({ endsMonoMs }) => endsMonoMs > clock.monotonic()));
  const seeing = every({
    clock,
    periodMs: VEHICLE_EVERY_MS,
    onError() {},
    async work() {
      counts.seen++;
      for (const { plates } of living()) plates.push(`RI${1_000 + counts.seen}ON`);
    },
  });
  let pulls = 0;
  const stamp = (ms: number) => new Date(ms).toISOString();
  function session(): OnvifSession {
    let mine: Held | null = null;
    const held = (): Held => {
      if (mine === null || !living().includes(mine)) throw new PullRefusal('there is no such subscription');
      return mine;
    };
    return {
      connect: async () => {},
      readTime: async () => ({ camera_ms: null, followsServer: false }),
      setTime: async () => {},
      checkAccount: async () => {},
      snapshotAddress: async () => null,
      async subscribe() {
        if (living().length >= PLACES) {
          counts.refused++;
          throw new Error('Maximum number of subscriptions reached');
        }
        mine = { endsMonoMs: clock.monotonic() + lifeMs, plates: [] };
        open.push(mine);
        counts.most = Math.max(counts.most, open.length);
        return lifeMs;
      },
      handOver() {
        const left = mine as unknown as OnvifSubscription | null;
        mine = null;
        return left;
      },
      resume: (subscription) => void (mine = subscription as unknown as Held),
      async pull(signal) {
        const { plates } = held();
        for (let waits = 0; waits < 8 && plates.length === 0; waits++) await sleep(clock, 250, signal);
        if (++pulls % breaksEvery === 0) throw new Error('socket hang up');
        const subscription = held();
        if (pullsExtendMs !== undefined && !lies) subscription.endsMonoMs = clock.monotonic() + pullsExtendMs;
        const messages = plates.splice(0).map(messageOf).join('');
        const times =
          pullsExtendMs === undefined
            ? ''
            : `<CurrentTime>${stamp(0)}</CurrentTime><TerminationTime>${stamp(pullsExtendMs)}</TerminationTime>`;
        return `<E><Body><PullMessagesResponse>${times}${messages}</PullMessagesResponse></Body></E>`;
      },
      async renew() {
        if (!renews) throw new Error('Bad Request');
        held().endsMonoMs = clock.monotonic() + lifeMs;
        return lifeMs;
      },
      async unsubscribe() {
        if (!unsubscribes) throw new Error('Bad Request');
        open = open.filter((each) => each !== mine);
      },
      close() {},
    };
  }
  return { counts, session, close: () => seeing.cancel() };
}

const messageOf = (plate: string): string =>
  `<NotificationMessage><Topic>tns1:RuleEngine/Recognition/LicensePlate</Topic><Message><Message><Data><SimpleItem Name="PlateNumber" Value="${plate}"/></Data></Message></Message></NotificationMessage>`;

/** Listens for an hour. */
async function hourWith(upkeep: Upkeep) {
  const clock = new FakeClock();
  const made = cameraWith(upkeep, clock);
  const heard = new Set<string>();
  const faults: (string | null)[] = [];
  const source = createOnvifSource({ client: { open: async () => made.session() }, clock, random: () => 0.5 })(
    camera('cam', { driver: 'onvif', address: 'http://192.0.2.21' }),
    {
      onRead: async ({ raw_plate }) => void heard.add(raw_plate),
      onAlive() {},
      onMalformed() {},
      onFault: (reason) => faults.push(reason),
    },
  );
  await clock.advance(HOUR_MS);
  await source?.close();
  made.close();
  return { ...made.counts, heard: heard.size, faults: new Set(faults) };
}

describe('an ONVIF camera', () => {
  it.each<[string, Upkeep, number]>([
    ['renews', { lifeMs: 120_000, renews: true, unsubscribes: true }, 0],
    ['does not renew', { lifeMs: 600_000, unsubscribes: true }, 0],
    ['neither renews nor ends a subscription', { lifeMs: 600_000 }, 0],
    ['neither renews nor ends one, and keeps each for two minutes', { lifeMs: 120_700 }, 0],
    ['is heard further by each pull', { lifeMs: 60_000, pullsExtendMs: 60_000 }, 0],
    // What it read while the network was away waits in the subscription; what it read in a pause, of a minute at most, at the end of one does not.
    ['neither renews nor ends one, over a bad network', { lifeMs: 600_000, breaksEvery: 4 }, 72],
  ])('is heard by one subscription at a time when it %s', async (_what, upkeep, lost) => {
    const { seen, heard, refused, most } = await hourWith(upkeep);
    expect(seen).toBe(HOUR_MS / VEHICLE_EVERY_MS);
    expect(seen - heard).toBeLessThanOrEqual(lost + 1);
    expect(refused).toBe(0);
    expect(most).toBeLessThanOrEqual(2);
  });

  it('is subscribed to anew, within its room, when it says a later end than it keeps to', async () => {
    const { refused, most, heard, faults } = await hourWith({ lifeMs: 10_000, pullsExtendMs: 600_000, lies: true });
    expect(refused).toBe(0);
    expect(most).toBeLessThanOrEqual(2);
    expect(heard).toBeGreaterThan(0);
    expect(faults).toContain('it does not end its subscriptions: the next one is made when one of 3 is over');
  });
});
