/** Service: runs the uplink's state machine against the broker and the store. */
import { every } from '../../shared/clock.js';
import type { ConfigMessage } from '../../shared/gateway-config.js';
import type { ReconnectLadder } from '../../shared/reconnect-ladder.js';
import type { Tracer } from '../../shared/tracer.js';
import type { AdminMessage, CommandMessage, PairingMessage } from '../../shared/uplink-orders.js';
import type { GatewayReport } from '../../shared/uplink-reports.js';
import type { Hello, Lane } from '../../shared/uplink.js';
import type { AgentStore } from '../store/agent-store.js';
import { type CloudLinkOptions, createCloudLink } from './cloud-link.js';
import { createConfigInbox } from './config-inbox.js';
import { partsOfReport } from './report-parts.js';
import { createNetworkWatch } from './network-watch.js';
import { createReportSlot } from './report-slot.js';
import { type OutboxLanes, TICK_MS } from './uplink-machine.js';
import { createUplinkRunner } from './uplink-runner.js';

export interface UplinkOptions extends CloudLinkOptions {
  store: Pick<AgentStore, 'outboxBatch' | 'outboxState' | 'startOutboxEpoch' | 'acknowledge'>;
  /** When it connects again. */
  ladder: ReconnectLadder;
  /** The machine's own addresses on its networks, looked at while there is no link. Left out: nobody notices that the network is back. */
  ownAddresses?: (() => readonly string[]) | undefined;
  agentVersion: string;
  /** Whether the wall clock is known to be right. */
  isClockOk(): boolean;
  /** Left out: nothing is traced. */
  tracer?: Tracer | undefined;
}

/** Receives what the cloud sends. */
export interface UplinkReceivers {
  /** Section name -> the revision held. */
  configRevisions(): Record<string, string>;
  /** Applies a message. `mismatch`: it does not fit what is held, and nothing was changed. Called for one message at a time. */
  onConfig(message: ConfigMessage): Promise<'applied' | 'mismatch'>;
  /** Called with a command of the cloud. The receiver judges whether it is still in time. */
  onCommand(message: CommandMessage): void;
  /** Called with a step of a pairing. */
  onPairing(message: PairingMessage): void;
  /** Called with an admin record for a product. */
  onAdmin(message: AdminMessage): void;
  /** Called when the cloud begins or ceases to answer, and when it asked for a hello: then it knows no earlier report. */
  onConnectedChange?(isConnected: boolean): void;
}

/** The receivers before the start, when nothing is received. */
const NO_RECEIVERS: UplinkReceivers = {
  configRevisions: () => ({}),
  onConfig: () => Promise.resolve('mismatch'),
  onCommand() {},
  onPairing() {},
  onAdmin() {},
};

export interface UplinkStatus {
  /** Whether the cloud said welcome in this connection, and answers. */
  connected: boolean;
  /** Wall time of the last change of `connected`; null while it never changed. */
  since_ms: number | null;
  /** Cloud time minus the monotonic clock, from the last welcome; null until then. */
  cloud_offset_ms: number | null;
}

export interface Uplink {
  /** Connects, and keeps connected. What the cloud sends goes to the receivers; before the start nothing is sent or received. */
  start(receivers: UplinkReceivers): void;
  /** Notes that the lane has new rows. */
  notify(lane: Lane): void;
  /**
   * Sends a report (telemetry, QoS 0). While a report is on its way, only the latest of its kind waits.
   * Without a connection a report is dropped.
   */
  publishReport(report: GatewayReport): void;
  state(): UplinkStatus;
  /** Says goodbye to the broker. Idempotent. */
  close(): Promise<void>;
}

export function createUplink(options: UplinkOptions): Uplink {
  const { store, clock, logger, ladder } = options;
  let receivers = NO_RECEIVERS;
  let helloSent_ms = 0;
  let isHelloUnanswered = false;
  let hasBeenGreeted = false;
  let status: UplinkStatus = { connected: false, since_ms: null, cloud_offset_ms: null };
  let closing: Promise<void> | null = null;

  const link = createCloudLink(options, {
    onOpen() {
      ladder.opened();
      runner.dispatch({ type: 'opened' });
    },
    onEnd(end) {
      noteDisconnected();
      runner.dispatch({ type: 'ended', end });
    },
    onWelcome(welcome) {
      isHelloUnanswered = false;
      // The cloud read its clock about halfway between question and answer.
      const asked_ms = (helloSent_ms + clock.monotonic()) / 2;
      status = { ...status, cloud_offset_ms: welcome.cloud_ms - asked_ms };
      runner.dispatch({ type: 'welcome', welcome });
    },
    onAck: (ack) => runner.dispatch({ type: 'ack', ack }),
    onConfig: (message) => inbox.add(message),
    onCommand: (message) => receivers.onCommand(message),
    onPairing: (message) => receivers.onPairing(message),
    onAdmin: (message) => receivers.onAdmin(message),
    onGreet() {
      hasBeenGreeted = status.connected;
      runner.dispatch({ type: 'doubt' });
    },
  });
  const runner = createUplinkRunner({
    store,
    clock,
    logger,
    ladder,
    link,
    sayHello,
    onDraining() {
      noteConnected(true);
      if (hasBeenGreeted) receivers.onConnectedChange?.(true);
      hasBeenGreeted = false;
    },
    onDisconnect: noteDisconnected,
    tracer: options.tracer,
  });
  const inbox = createConfigInbox({
    clock,
    logger,
    apply: (message) => receivers.onConfig(message),
    onDoubt: () => runner.dispatch({ type: 'doubt' }),
  });
  const network = createNetworkWatch(options.ownAddresses ?? (() => []));
  const ticker = every({
    clock,
    periodMs: TICK_MS,
    work() {
      if (!status.connected && network.hasReturned()) runner.dispatch({ type: 'returned' });
      runner.dispatch({ type: 'tick' });
    },
    onError: (error) => logger.error({ err: error }, 'the uplink failed at a tick'),
  });
  async function publishReport(report: GatewayReport): Promise<void> {
    for (const part of partsOfReport(report)) {
      await link.publish('report', JSON.stringify(part), { qos: 0, retain: false });
    }
  }
  // A report of one kind must not replace a waiting report of another.
  const slots = {
    products: createReportSlot(publishReport),
    cameras: createReportSlot(publishReport),
    parking_gateways: createReportSlot(publishReport),
    health: createReportSlot(publishReport),
    displays: createReportSlot(publishReport),
  };

  function sayHello(outbox: OutboxLanes): void {
    // The broker is there, but the cloud behind it is not.
    if (isHelloUnanswered) noteConnected(false);
    isHelloUnanswered = true;
    helloSent_ms = clock.monotonic();
    const hello: Hello = {
      boot_id: options.bootId,
      connection: link.connection,
      agent_version: options.agentVersion,
      mono_ms: Math.round(helloSent_ms),
      wall_ms: Math.max(0, clock.now()),
      clock_ok: options.isClockOk(),
      epoch: outbox.epoch,
      lanes: outbox.lanes.map(({ lane, first_seq, last_seq }) => ({ lane, first_seq, last_seq })),
      config: receivers.configRevisions(),
    };
    // When the link ends instead, `onEnd` says so.
    link.publish('hello', JSON.stringify(hello), { qos: 1, retain: false }).catch(() => undefined);
  }

  function noteDisconnected(): void {
    isHelloUnanswered = false;
    hasBeenGreeted = false;
    noteConnected(false);
  }

  function noteConnected(connected: boolean): void {
    if (status.connected === connected) return;
    status = { ...status, connected, since_ms: clock.now() };
    logger.info({ connection: link.connection }, connected ? 'connected to the cloud' : 'not connected to the cloud');
    receivers.onConnectedChange?.(connected);
  }

  return {
    start(given) {
      receivers = given;
      runner.dispatch({ type: 'connect' });
    },
    notify: (lane) => runner.dispatch({ type: 'rows', lane }),
    publishReport(report) {
      if (!status.connected) return;
      const kind = (['cameras', 'parking_gateways', 'displays', 'health'] as const).find(
        (each) => report[each] !== undefined,
      );
      slots[kind ?? 'products'].offer(report);
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
