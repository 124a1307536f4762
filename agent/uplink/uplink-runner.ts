/** Gives the uplink's state machine its inputs, and performs its effects. */
import type { Clock, Timer } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import type { ReconnectLadder } from '../../shared/reconnect-ladder.js';
import { type RecordSpan, startWatch, type Tracer } from '../../shared/tracer.js';
import { decodeBatch } from '../store/outbox-codec.js';
import type { AgentStore, OutboxBatch } from '../store/agent-store.js';
import type { CloudLink } from './cloud-link.js';
import {
  INITIAL_UPLINK_STATE,
  nextUplink,
  type OutboxLanes,
  type UplinkEffect,
  type UplinkInput,
  type UplinkState,
} from './uplink-machine.js';

export interface UplinkRunnerDeps {
  store: Pick<AgentStore, 'outboxBatch' | 'outboxState' | 'startOutboxEpoch' | 'acknowledge'>;
  clock: Clock;
  logger: Logger;
  ladder: ReconnectLadder;
  link: CloudLink;
  greeting: Greeting;
  /** null: nothing is traced. */
  tracer: Tracer | null;
}

/** The messages of the runner to and about the cloud, besides records. */
interface Greeting {
  sayHello(outbox: OutboxLanes): void;
  /** Called when the cloud is ready for records. */
  drains(): void;
  /** Called when this side ended the link. */
  disconnected(): void;
}

export interface UplinkRunner {
  /** Gives the machine an input and performs the effects. An input that an effect causes waits until the step is done. */
  dispatch(input: UplinkInput): void;
  /** Stops; later inputs have no effect. */
  stop(): void;
}

export function createUplinkRunner(deps: UplinkRunnerDeps): UplinkRunner {
  const { clock, logger, ladder, link, greeting } = deps;
  const inputs: UplinkInput[] = [];
  let state: UplinkState = INITIAL_UPLINK_STATE;
  let isStepping = false;
  let isStopped = false;
  let reconnectTimer: Timer | null = null;
  const outbox = createOutboxReader(deps, {
    dispatch,
    onFailed() {
      disconnect();
      dispatch({ type: 'ended', end: 'refused' });
    },
  });

  function dispatch(input: UplinkInput): void {
    if (isStopped) return;
    inputs.push(input);
    if (isStepping) return;
    isStepping = true;
    try {
      for (let next = inputs.shift(); next !== undefined; next = inputs.shift()) {
        const step = nextUplink(state, next, clock.monotonic());
        state = step.state;
        if (state.kind === 'draining') greeting.drains();
        step.effects.forEach(perform);
      }
    } finally {
      isStepping = false;
    }
  }

  function perform(effect: UplinkEffect): void {
    switch (effect.type) {
      case 'connect':
        outbox.forget();
        return link.open();
      case 'disconnect':
        if (effect.because === 'epoch refused') {
          logger.error({}, 'the cloud refuses the new outbox epoch too: trying again later');
        }
        return disconnect();
      case 'wait':
        reconnectTimer?.cancel();
        reconnectTimer = clock.setTimer(delayMsAfter(ladder, effect), () => dispatch({ type: 'connect' }));
        return;
      case 'announce':
        return link.announce();
      case 'hello':
        return greeting.sayHello(effect.outbox);
      default:
        return outbox.perform(effect);
    }
  }

  function disconnect(): void {
    outbox.forget();
    greeting.disconnected();
    void link.drop();
  }

  return {
    dispatch,
    stop(): void {
      isStopped = true;
      outbox.forget();
      reconnectTimer?.cancel();
    },
  };
}

const delayMsAfter = (ladder: ReconnectLadder, { after }: Extract<UplinkEffect, { type: 'wait' }>): number =>
  after === 'return' ? ladder.returned() : ladder.lost(after);

type OutboxEffect = Extract<
  UplinkEffect,
  { type: 'askOutbox' | 'startOutboxEpoch' | 'read' | 'publish' | 'acknowledge' }
>;

/**
 * Performs the effects that concern the outbox.
 * @param to.onFailed called when the store did not answer a question that still counts
 */
function createOutboxReader(
  { store, clock, logger, link, tracer }: UplinkRunnerDeps,
  to: { dispatch(input: UplinkInput): void; onFailed(): void },
) {
  /** The batch that the last read found, until it is published. */
  let batch: OutboxBatch | null = null;
  /** Grows with each question that makes the store's earlier answers meaningless. */
  let generation = 0;

  /** Passes on the store's answer, unless a later question made it meaningless. */
  function ask<Answer>(question: Promise<Answer>, handle: (answer: Answer) => void): void {
    const asked = generation;
    question.then(
      (answer) => {
        if (asked === generation) handle(answer);
      },
      (error: unknown) => {
        if (asked !== generation) return;
        logger.error({ err: error }, 'the uplink cannot read its outbox: trying again later');
        to.onFailed();
      },
    );
  }

  function publishBatch(): void {
    if (batch === null) throw new Error('there is no batch to publish');
    const published = batch;
    const watch = startWatch(clock);
    link.publish('records', batch.json, { qos: 1, retain: false }).then(
      () => traceSent(tracer, published, watch()),
      // `onEnd` reports the failure, and the cursors of the next welcome show which records arrived.
      () => undefined,
    );
    batch = null;
  }

  return {
    /** Ignores the answers that are still to come. */
    forget(): void {
      generation += 1;
    },
    perform(effect: OutboxEffect): void {
      switch (effect.type) {
        case 'askOutbox':
          generation += 1;
          return ask(store.outboxState(), (outbox) => to.dispatch({ type: 'outbox', outbox }));
        case 'startOutboxEpoch':
          logger.warn({}, 'outbox and cloud do not match, one was restored or cloned: a new outbox epoch begins');
          generation += 1;
          return ask(store.startOutboxEpoch(effect.goBackTo), (outbox) => to.dispatch({ type: 'outbox', outbox }));
        case 'read':
          return ask(store.outboxBatch(effect.lane, effect.after_seq), (found) => {
            batch = found;
            to.dispatch({ type: 'batch', batch: found === null ? null : { ...found, bytes: found.json.length } });
          });
        case 'publish':
          return publishBatch();
        case 'acknowledge':
          store.acknowledge(effect).catch((error: unknown) => {
            logger.error({ err: error }, 'acknowledged records could not be deleted: they are sent once more');
          });
      }
    },
  };
}

/** Adds to the trace of each plate read of the batch that the broker has it. */
function traceSent(
  tracer: Tracer | null,
  { lane, json }: OutboxBatch,
  sent: Pick<RecordSpan, 'startMs' | 'tookMs'>,
): void {
  if (tracer === null || lane !== 0) return;
  for (const { seq, uid, payload } of decodeBatch(json)) {
    if (payload.kind === 'plate_read') tracer.add({ uid, name: 'send', ...sent, attributes: { lane, seq } });
  }
}
