/** Service: runs the uplink's state machine against the broker and the store. */
import { every, type Timer } from '../../shared/clock.js';
import type { ConfigMessage } from '../../shared/gateway-config.js';
import type { CommandMessage, GatewayReport, Hello, Lane, PairingMessage } from '../../shared/uplink.js';
import type { AgentStore, OutboxBatch } from '../store/agent-store.js';
import { type CloudLink, type CloudLinkOptions, createCloudLink } from './cloud-link.js';
import { createConfigInbox } from './config-inbox.js';
import {
  INITIAL_UPLINK_STATE,
  nextUplink,
  type OutboxLanes,
  TICK_MS,
  type UplinkEffect,
  type UplinkInput,
  type UplinkState,
} from './uplink-machine.js';

export interface UplinkOptions extends CloudLinkOptions {
  store: Pick<AgentStore, 'outboxBatch' | 'outboxState' | 'startEpoch' | 'acknowledge'>;
  /** A number in [0, 1), drawn for each reconnect. */
  random(): number;
  agentVersion: string;
  /** Whether the wall clock is known to be right. */
  isClockOk(): boolean;
  /** Section name -> the revision held. */
  configRevisions(): Record<string, string>;
  /** Applies a message, or answers that it does not fit and changes nothing. Called for one message at a time. */
  onConfig(message: ConfigMessage): Promise<'applied' | 'mismatch'>;
  /** A command of the cloud, as it came: whether it is still in time is for the receiver to see. */
  onCommand(message: CommandMessage): void;
  /** A step of a pairing. */
  onPairing(message: PairingMessage): void;
  /** The cloud answers, or does not any more. */
  onConnectedChange?(isConnected: boolean): void;
}

export interface UplinkStatus {
  /** The cloud said welcome in this connection, and answers. */
  connected: boolean;
  /** Wall time of the last change of `connected`; null while it never changed. */
  since_ms: number | null;
  /** Cloud time minus the monotonic clock, from the last welcome; null until then. */
  cloud_offset_ms: number | null;
}

export interface Uplink {
  start(): void;
  /** New rows are in the lane. */
  notify(lane: Lane): void;
  /** Telemetry, QoS 0: while one (of products, or of cameras) is on its way only the latest waits; without a connection it is dropped. */
  publishReport(report: GatewayReport): void;
  state(): UplinkStatus;
  /** Says goodbye to the broker. Idempotent. */
  close(): Promise<void>;
}

export function createUplink(options: UplinkOptions): Uplink {
  const { clock, logger } = options;
  let helloSent_ms = 0;
  let isHelloUnanswered = false;
  let status: UplinkStatus = { connected: false, since_ms: null, cloud_offset_ms: null };
  let closing: Promise<void> | null = null;

  const link = createCloudLink(options, {
    onOpen: () => runner.dispatch({ type: 'opened' }),
    onEnd(end) {
      noteDisconnected();
      runner.dispatch({ type: 'ended', end });
    },
    onWelcome(welcome) {
      isHelloUnanswered = false;
      // The cloud read its clock about half way between question and answer.
      const asked_ms = (helloSent_ms + clock.monotonic()) / 2;
      status = { ...status, cloud_offset_ms: welcome.cloud_ms - asked_ms };
      runner.dispatch({ type: 'welcome', welcome });
    },
    onAck: (ack) => runner.dispatch({ type: 'ack', ack }),
    onConfig: (message) => inbox.take(message),
    onCommand: options.onCommand,
    onPairing: options.onPairing,
  });
  const runner = createRunner(options, {
    link,
    sayHello,
    onDraining: () => noteConnected(true),
    onDisconnect: noteDisconnected,
  });
  const inbox = createConfigInbox({
    clock,
    logger,
    apply: options.onConfig,
    onDoubt: () => runner.dispatch({ type: 'doubt' }),
  });
  const ticker = every({
    clock,
    periodMs: TICK_MS,
    work: () => runner.dispatch({ type: 'tick' }),
    onError: (error) => logger.error({ error }, 'the uplink failed at a tick'),
  });
  const publishReport = (report: GatewayReport) =>
    link.publish('report', JSON.stringify(report), { qos: 0, retain: false });
  // One must not push the other out of its place.
  const slots = { products: createReportSlot(publishReport), cameras: createReportSlot(publishReport) };

  function sayHello(outbox: OutboxLanes): void {
    // The broker is there, but the cloud behind it is not.
    if (isHelloUnanswered) noteConnected(false);
    isHelloUnanswered = true;
    helloSent_ms = clock.monotonic();
    const hello: Hello = {
      boot_id: options.bootId,
      connection: link.connection,
      agent_version: options.agentVersion,
      mono_ms: helloSent_ms,
      wall_ms: Math.max(0, clock.now()),
      clock_ok: options.isClockOk(),
      epoch: outbox.epoch,
      lanes: outbox.lanes.map(({ lane, first_seq, last_seq }) => ({ lane, first_seq, last_seq })),
      config: options.configRevisions(),
    };
    // A link that ends instead is told by itself.
    link.publish('hello', JSON.stringify(hello), { qos: 1, retain: false }).catch(() => undefined);
  }

  function noteDisconnected(): void {
    isHelloUnanswered = false;
    noteConnected(false);
  }

  function noteConnected(connected: boolean): void {
    if (status.connected === connected) return;
    status = { ...status, connected, since_ms: clock.now() };
    logger.info({ connection: link.connection }, connected ? 'connected to the cloud' : 'not connected to the cloud');
    options.onConnectedChange?.(connected);
  }

  return {
    start: () => runner.dispatch({ type: 'connect' }),
    notify: (lane) => runner.dispatch({ type: 'rows', lane }),
    publishReport(report) {
      if (status.connected) slots[report.cameras === undefined ? 'products' : 'cameras'].offer(report);
    },
    state: () => status,
    close() {
      ticker.cancel();
      inbox.close();
      runner.stop();
      closing ??= link.leave();
      return closing;
    },
  };
}

interface RunnerParts {
  link: CloudLink;
  sayHello(outbox: OutboxLanes): void;
  /** The cloud takes records. */
  onDraining(): void;
  /** This side ended the link. */
  onDisconnect(): void;
}

/** Feeds the state machine and performs what it asks for. */
function createRunner(options: UplinkOptions, { link, sayHello, onDraining, onDisconnect }: RunnerParts) {
  const { store, clock, logger, random } = options;
  const inputs: UplinkInput[] = [];
  let state: UplinkState = INITIAL_UPLINK_STATE;
  let isStepping = false;
  let isStopped = false;
  let reconnectTimer: Timer | null = null;
  /** What the last read found, until it is published. */
  let batch: OutboxBatch | null = null;
  /** Counts the questions that make earlier answers of the store meaningless. */
  let generation = 0;

  /** What an effect causes at once waits until the step is done. */
  function dispatch(input: UplinkInput): void {
    if (isStopped) return;
    inputs.push(input);
    if (isStepping) return;
    isStepping = true;
    try {
      for (let next = inputs.shift(); next !== undefined; next = inputs.shift()) {
        const step = nextUplink(state, next, clock.monotonic());
        state = step.state;
        if (state.kind === 'draining') onDraining();
        step.effects.forEach(perform);
      }
    } finally {
      isStepping = false;
    }
  }

  function perform(effect: UplinkEffect): void {
    switch (effect.type) {
      case 'connect':
        generation += 1;
        return link.open();
      case 'disconnect':
        logger.error({}, 'the cloud does not take the new epoch either: trying again later');
        return disconnect();
      case 'wait':
        reconnectTimer = clock.setTimer(Math.floor(random() * effect.max_ms), () => dispatch({ type: 'connect' }));
        return;
      case 'announce':
        return link.announce();
      case 'askOutbox':
        generation += 1;
        return ask(store.outboxState(), (outbox) => dispatch({ type: 'outbox', outbox }));
      case 'startEpoch':
        logger.warn({}, 'outbox and cloud do not fit together, one was restored or cloned: a new epoch begins');
        generation += 1;
        return ask(store.startEpoch(), (outbox) => dispatch({ type: 'outbox', outbox }));
      case 'hello':
        return sayHello(effect.outbox);
      case 'read':
        return ask(store.outboxBatch(effect.lane, effect.after_seq), (found) => {
          batch = found;
          dispatch({ type: 'batch', batch: found === null ? null : { ...found, bytes: found.json.length } });
        });
      case 'publish':
        return publishBatch();
      case 'acknowledge':
        store.acknowledge(effect).catch((error: unknown) => {
          logger.error({ error }, 'acknowledged records could not be deleted: they are sent once more');
        });
    }
  }

  function publishBatch(): void {
    if (batch === null) throw new Error('there is no batch to publish');
    // A link that ends instead is told by itself, and the cursors tell what arrived.
    link.publish('records', batch.json, { qos: 1, retain: false }).catch(() => undefined);
    batch = null;
  }

  /** Takes the store's answer unless a later question made it meaningless. */
  function ask<Answer>(question: Promise<Answer>, take: (answer: Answer) => void): void {
    const asked = generation;
    question.then(
      (answer) => {
        if (asked === generation) take(answer);
      },
      (error: unknown) => {
        if (asked !== generation || isStopped) return;
        logger.error({ error }, 'the uplink cannot read its outbox: trying again later');
        disconnect();
        dispatch({ type: 'ended', end: 'refused' });
      },
    );
  }

  function disconnect(): void {
    generation += 1;
    onDisconnect();
    void link.drop();
  }

  return {
    dispatch,
    stop(): void {
      isStopped = true;
      reconnectTimer?.cancel();
    },
  };
}

/** One report on its way; of those that come meanwhile only the latest is kept. */
function createReportSlot(publish: (report: GatewayReport) => Promise<void>) {
  let isBusy = false;
  let latest: GatewayReport | null = null;
  async function sendAll(): Promise<void> {
    isBusy = true;
    while (latest !== null) {
      const report = latest;
      latest = null;
      // Telemetry that did not arrive is not worth a word: the next one follows.
      await publish(report).catch(() => undefined);
    }
    isBusy = false;
  }
  return {
    offer(report: GatewayReport): void {
      latest = report;
      if (!isBusy) void sendAll();
    },
  };
}
