/**
 * Asks gateways to say hello after the connection to an external broker was lost, or the cloud's process began anew: cloud and gateway may
 * have missed messages of each other. A hello request also finds gateways whose last will was never published: a broker that is killed
 * publishes none, and keeps the presence that it had.
 */
import { type Clock, every, type Timer } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { type Broker, onlineGateways, type PresenceTracker, type UpMessage } from '../../equipment/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';

export interface HelloRequester {
  /** Notes that a gateway sent something. Call it with each message. */
  note(message: Pick<UpMessage, 'uuid' | 'channel' | 'isRetained'>): void;
  /** Notes that a gateway is known to be offline. */
  noteOffline(uuid: GatewayUuid): void;
  close(): Promise<void>;
}

export interface HelloRequesterDeps {
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
/** How long a gateway may take to answer. Its answer may have to wait behind pictures on a slow link. */
const ANSWER_WAIT_MS = 20_000;
/** How often a gateway is asked before it counts as gone. */
const QUESTIONS_MAX = 3;
/** How many gateways are asked at one time: the answers of thousands at once would hold up everything else. */
const QUESTIONS_PER_TICK = 200;

/** The state of one gateway. Times are monotonic milliseconds. */
interface Called {
  /** Since when it is heard. */
  since: number;
  /** When it was heard last. Until the first message: since when it is heard. */
  heardAt: number;
  hasSaidHello: boolean;
  /** Whether anything indicates that it is online. Only then it is asked. */
  mayBeThere: boolean;
  questions: number;
  /** When the first and the last of these questions were asked. */
  askedSince: number;
  askedAt: number;
}

/** Decides what is due for one gateway. `ask_anew`: it speaks, but its hello may have been lost, so that its questions are counted anew. */
function decideStep(gateway: Called, now: number): 'none' | 'ask' | 'ask_anew' | 'give_up' {
  const { since, heardAt, hasSaidHello, mayBeThere, questions, askedSince, askedAt } = gateway;
  if (!mayBeThere || now - since < PATIENCE_MS) return 'none';
  const isSilent = now - heardAt >= SILENCE_MAX_MS;
  if (hasSaidHello && !isSilent) return 'none';
  if (questions > 0 && now - askedAt < ANSWER_WAIT_MS) return 'none';
  if (questions < QUESTIONS_MAX) return 'ask';
  return heardAt < askedSince ? 'give_up' : 'ask_anew';
}

export function createHelloRequester(deps: HelloRequesterDeps): HelloRequester {
  const { broker, presence, clock, logger } = deps;
  const called = createCalledGateways(deps);

  let ticking = Promise.resolve();
  let timer: Timer | undefined;
  const stopHearing = broker.onHearing((uuids) => {
    called.add(uuids);
    // It starts here because the embedded broker announces no gateways: with it, nothing has to run each second.
    timer ??= every({
      clock,
      periodMs: TICK_MS,
      work: () => (ticking = tick()),
      onError: (error) => logger.error({ err: error }, 'gateways could not be asked whether they are there'),
    });
  });

  function ask(uuid: GatewayUuid, gateway: Called, now: number): void {
    if (gateway.questions === 0) gateway.askedSince = now;
    gateway.questions += 1;
    gateway.askedAt = now;
    broker.publish(uuid, 'greet', '{}').catch((error: unknown) => {
      // A question that was not sent must not make a gateway count as gone.
      gateway.questions = 0;
      logger.warn({ err: error, uuid }, 'a gateway could not be asked to say hello');
    });
  }

  async function tick(): Promise<void> {
    // No gateway can answer without the broker. When the broker is back, all gateways are added anew.
    if (!broker.ready) return;
    await called.markOnline();
    const now = clock.monotonic();
    let questions = 0;
    for (const [uuid, gateway] of called.entries()) {
      switch (decideStep(gateway, now)) {
        case 'ask':
          if (++questions > QUESTIONS_PER_TICK) return;
          ask(uuid, gateway, now);
          break;
        case 'ask_anew':
          gateway.questions = 0;
          break;
        case 'give_up':
          await presence.handleSilence(uuid);
          gateway.mayBeThere = false;
          logger.info({ uuid }, 'a gateway does not answer any more and counts as offline');
      }
    }
  }

  return {
    note: called.note,
    noteOffline: called.noteOffline,
    async close() {
      stopHearing();
      timer?.cancel();
      await ticking.catch(() => undefined);
    },
  };
}

/** What is known of each gateway that the broker hears. */
function createCalledGateways({ broker, store, clock }: Pick<HelloRequesterDeps, 'broker' | 'store' | 'clock'>) {
  const called = new Map<GatewayUuid, Called>();
  let hasNew = false;

  return {
    add(uuids: readonly GatewayUuid[]): void {
      const now = clock.monotonic();
      for (const uuid of uuids) {
        const unknown = { hasSaidHello: false, mayBeThere: false, questions: 0, askedSince: now, askedAt: now };
        called.set(uuid, { since: now, heardAt: now, ...unknown });
      }
      hasNew = true;
    },
    /** Notes which gateways the database shows online: the retained presence of a gateway may be lost, or out of date. */
    async markOnline(): Promise<void> {
      if (!hasNew) return;
      hasNew = false;
      try {
        for (const { uuid } of await onlineGateways(store.reader)) {
          const gateway = called.get(uuid as GatewayUuid);
          if (gateway !== undefined) gateway.mayBeThere = true;
        }
      } catch (error) {
        hasNew = true;
        throw error;
      }
    },
    /** Goes through the gateways that are heard, and forgets the others. */
    *entries(): Generator<[GatewayUuid, Called]> {
      for (const entry of called) {
        if (broker.hears(entry[0])) yield entry;
        else called.delete(entry[0]);
      }
    },
    note({ uuid, channel, isRetained = false }: Parameters<HelloRequester['note']>[0]): void {
      const gateway = called.get(uuid);
      if (gateway === undefined) return;
      gateway.mayBeThere = true;
      if (isRetained) return;
      gateway.heardAt = clock.monotonic();
      gateway.hasSaidHello ||= channel === 'hello';
      if (gateway.hasSaidHello) gateway.questions = 0;
    },
    noteOffline(uuid: GatewayUuid): void {
      const gateway = called.get(uuid);
      if (gateway !== undefined) gateway.mayBeThere = false;
    },
  };
}
