/**
 * Asks gateways to say hello whose connection to an external broker went on while the cloud's was lost, or its process is a new one: both
 * may have missed messages of each other. It also finds those whose last will was never published, as a broker that was killed
 * publishes none and keeps what they said before.
 */
import { type Clock, every, type Timer } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { type Broker, onlineGateways, type PresenceTracker, type UpMessage } from '../../equipment/entry.js';
import type { CloudStore } from '../../kernel/entry.js';

export interface RollCall {
  /** Notes a sign of a gateway. Call it with each message. */
  note(message: Pick<UpMessage, 'uuid' | 'channel' | 'isRetained'>): void;
  /** Notes that a gateway is known to be offline. */
  noteOffline(uuid: GatewayUuid): void;
  close(): Promise<void>;
}

export interface RollCallDeps {
  broker: Pick<Broker, 'ready' | 'hears' | 'onHearing' | 'publish'>;
  presence: Pick<PresenceTracker, 'handleSilence'>;
  store: Pick<CloudStore, 'reader'>;
  clock: Clock;
  logger: Logger;
}

const TICK_MS = 1_000;
/** Gateways that connect again by themselves say hello within this time. */
const PATIENCE_MS = 2_000;
/** Most gateways report twice a minute; those that report less often are asked. */
const SILENCE_MAX_MS = 150_000;
/** How long a gateway may take to answer. It may be sending pictures over a slow link, and answers behind them. */
const ANSWER_WAIT_MS = 20_000;
/** How often a gateway is asked before it counts as gone. */
const QUESTIONS_MAX = 3;
/** Not all at once, or the answers of thousands would hold up everything else. */
const QUESTIONS_PER_TICK = 200;

/** What is known of one gateway. Times are monotonic milliseconds. */
interface Called {
  /** From when on it is heard. */
  since: number;
  /** When it was heard last, or since when it is waited for. */
  heardAt: number;
  hasSaidHello: boolean;
  /** Whether anything says that it is there: nobody asks a gateway that is offline. */
  mayBeThere: boolean;
  questions: number;
  /** When the first and the last of these questions were asked. */
  askedSince: number;
  askedAt: number;
}

export function createRollCall(deps: RollCallDeps): RollCall {
  const { broker, presence, store, clock, logger } = deps;
  const called = new Map<GatewayUuid, Called>();
  let isNewOne = false;

  let ticking = Promise.resolve();
  let timer: Timer | undefined;
  /** The embedded broker tells of none: nothing has to look each second then. */
  const startTicking = () =>
    (timer ??= every({
      clock,
      periodMs: TICK_MS,
      work: () => (ticking = tick()),
      onError: (error) => logger.error({ err: error }, 'gateways could not be asked whether they are there'),
    }));

  const stopHearing = broker.onHearing((uuids) => {
    startTicking();
    const now = clock.monotonic();
    for (const uuid of uuids) {
      const unknown = { hasSaidHello: false, mayBeThere: false, questions: 0, askedSince: now, askedAt: now };
      called.set(uuid, { since: now, heardAt: now, ...unknown });
    }
    isNewOne = true;
  });

  /** The retained presence of a gateway may be lost, or be the older one: what is stored of it counts, too. */
  async function lookUp(): Promise<void> {
    if (!isNewOne) return;
    isNewOne = false;
    try {
      for (const { uuid } of await onlineGateways(store.reader)) {
        const gateway = called.get(uuid as GatewayUuid);
        if (gateway !== undefined) gateway.mayBeThere = true;
      }
    } catch (error) {
      isNewOne = true;
      throw error;
    }
  }

  function ask(uuid: GatewayUuid, gateway: Called, now: number): void {
    if (gateway.questions === 0) gateway.askedSince = now;
    gateway.questions += 1;
    gateway.askedAt = now;
    broker.publish(uuid, 'greet', '{}').catch((error: unknown) => {
      // Nobody was asked, so nobody is gone.
      gateway.questions = 0;
      logger.warn({ err: error, uuid }, 'a gateway could not be asked to say hello');
    });
  }

  async function giveUp(uuid: GatewayUuid, gateway: Called): Promise<void> {
    await presence.handleSilence(uuid);
    gateway.mayBeThere = false;
    logger.info({ uuid }, 'a gateway does not answer any more and counts as offline');
  }

  async function tick(): Promise<void> {
    // Nobody can answer now. Whoever is heard again is called anew.
    if (!broker.ready) return;
    await lookUp();
    const now = clock.monotonic();
    let questions = 0;
    for (const [uuid, gateway] of called) {
      if (!broker.hears(uuid)) {
        called.delete(uuid);
        continue;
      }
      if (!gateway.mayBeThere || now - gateway.since < PATIENCE_MS) continue;
      const isSilent = now - gateway.heardAt >= SILENCE_MAX_MS;
      if (gateway.hasSaidHello && !isSilent) continue;
      if (gateway.questions > 0 && now - gateway.askedAt < ANSWER_WAIT_MS) continue;
      if (gateway.questions < QUESTIONS_MAX) {
        if (++questions > QUESTIONS_PER_TICK) return;
        ask(uuid, gateway, now);
      } else if (gateway.heardAt < gateway.askedSince) await giveUp(uuid, gateway);
      // It is there, and its hello may be lost again: whoever speaks is asked on.
      else gateway.questions = 0;
    }
  }

  return {
    note({ uuid, channel, isRetained = false }) {
      const gateway = called.get(uuid);
      if (gateway === undefined) return;
      gateway.mayBeThere = true;
      if (isRetained) return;
      gateway.heardAt = clock.monotonic();
      gateway.hasSaidHello ||= channel === 'hello';
      if (gateway.hasSaidHello) gateway.questions = 0;
    },
    noteOffline(uuid) {
      const gateway = called.get(uuid);
      if (gateway !== undefined) gateway.mayBeThere = false;
    },
    async close() {
      stopHearing();
      timer?.cancel();
      await ticking.catch(() => undefined);
    },
  };
}
