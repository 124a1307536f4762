/** Service: runs the uplink's state machine against the broker and the store. */
import { every } from '../../shared/clock.js';
import type { ConfigMessage } from '../../shared/gateway-config.js';
import type { ReconnectLadder } from '../../shared/reconnect-ladder.js';
import type { Tracer } from '../../shared/tracer.js';
import type { AskMessage } from '../../shared/uplink-asks.js';
import type { AdminMessage, CommandMessage, PairingMessage } from '../../shared/uplink-orders.js';
import type { GatewayReport } from '../../shared/uplink-reports.js';
import type { Hello, Lane, Welcome } from '../../shared/uplink.js';
import type { AgentStore } from '../store/agent-store.js';
import { type CloudLink, type CloudLinkOptions, createCloudLink } from './cloud-link.js';
import { createConfigInbox } from './config-inbox.js';
import { createNetworkWatch } from './network-watch.js';
import { createReports } from './reports.js';
import { type OutboxLanes, TICK_MS } from './uplink-machine.js';
import { createUplinkRunner } from './uplink-runner.js';

export interface UplinkOptions extends CloudLinkOptions {
  store: Pick<AgentStore, 'outboxBatch' | 'outboxState' | 'startOutboxEpoch' | 'acknowledge'>;
  /** When it connects again. */
  ladder: ReconnectLadder;
  /** The machine's own addresses on its networks, looked at while there is no link. */
  ownAddresses: () => readonly string[];
  agentVersion: string;
  /** Whether the wall clock is known to be right. */
  isClockOk(): boolean;
  /** Called each time that the broker refuses this gateway. */
  onRefused(): void;
  /** null: nothing is traced. */
  tracer: Tracer | null;
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
  /** Called when the cloud asks for a report of `doctor`. */
  onDoctor(): void;
  /** Called when the cloud asks for something that is answered by a report. */
  onAsk(message: AskMessage): void;
  /** Called when the cloud begins or ceases to answer, and after it asked for a hello, because it then knows no earlier report. */
  onConnectedChange(isConnected: boolean): void;
}

/** The receivers before the start, when nothing is received. */
const NO_RECEIVERS: UplinkReceivers = {
  configRevisions: () => ({}),
  onConfig: () => Promise.resolve('mismatch'),
  onCommand() {},
  onPairing() {},
  onAdmin() {},
  onDoctor() {},
  onAsk() {},
  onConnectedChange() {},
};

export interface UplinkStatus {
  /** Whether the cloud said welcome in this connection, and answers. */
  connected: boolean;
  /** Wall time of the last change of `connected`; null while it never changed. */
  since_ms: number | null;
  /** Cloud time minus the monotonic clock, from the last welcome; null until then. */
  cloud_offset_ms: number | null;
  /** Why the broker refused this gateway at the last attempt; null: it did not. */
  refusal: string | null;
  /** When the cloud last took over records of the queue, by the monotonic clock; null: not since the start. */
  acknowledged_mono_ms: number | null;
}

export interface Uplink {
  /**
   * Connects, and keeps connected. The cloud's messages go to the receivers; before the start nothing is sent or
   * received.
   */
  start(receivers: UplinkReceivers): void;
  /** Notes that the lane has new rows. */
  notify(lane: Lane): void;
  /**
   * Sends a report (telemetry, QoS 0). While a report is on its way, only the latest of its kind waits; answers all do.
   * Without a connection a report is dropped.
   */
  publishReport(report: GatewayReport): void;
  state(): UplinkStatus;
  /** Says goodbye to the broker. Idempotent. */
  close(): Promise<void>;
}

/** The uplink of a gateway that belongs to no cloud yet. */
export const NO_UPLINK: Uplink = {
  start() {},
  notify() {},
  publishReport() {},
  state: () => ({
    connected: false,
    since_ms: null,
    cloud_offset_ms: null,
    refusal: null,
    acknowledged_mono_ms: null,
  }),
  close: () => Promise.resolve(),
};

export function createUplink(options: UplinkOptions): Uplink {
  const { clock, logger, ladder, tracer } = options;
  const { store, acknowledged } = withAcknowledged(options);
  const link = createCloudLink(options);
  const greeting = createGreeting(options, link);
  const runner = createUplinkRunner({ store, clock, logger, ladder, link, greeting, tracer });
  const doubt = () => runner.dispatch({ type: 'doubt' });
  const inbox = createConfigInbox({ clock, logger, onDoubt: doubt });
  const network = createNetworkWatch(options.ownAddresses);
  const ticker = every({
    clock,
    periodMs: TICK_MS,
    work() {
      if (!greeting.status().connected && network.hasReturned()) runner.dispatch({ type: 'returned' });
      runner.dispatch({ type: 'tick' });
    },
    onError: (error) => logger.error({ err: error }, 'the uplink failed at a tick'),
  });
  const reports = createReports((report) => link.publish('report', JSON.stringify(report), { qos: 0, retain: false }));
  let closing: Promise<void> | null = null;

  return {
    start(receivers) {
      greeting.start(receivers);
      link.start({
        onOpen() {
          ladder.opened();
          runner.dispatch({ type: 'opened' });
        },
        onEnd(end, reason) {
          greeting.ended(end === 'refused' ? reason : null);
          runner.dispatch({ type: 'ended', end });
          if (end === 'refused') options.onRefused();
        },
        onWelcome(welcome) {
          greeting.welcomed(welcome);
          runner.dispatch({ type: 'welcome', welcome });
        },
        onAck: (ack) => runner.dispatch({ type: 'ack', ack }),
        onConfig: (message) => inbox.add(message, receivers.onConfig),
        onCommand: receivers.onCommand,
        onPairing: receivers.onPairing,
        onAdmin: receivers.onAdmin,
        onDoctor: receivers.onDoctor,
        onAsk: receivers.onAsk,
        onGreet() {
          greeting.asked();
          doubt();
        },
      });
      runner.dispatch({ type: 'connect' });
    },
    notify: (lane) => runner.dispatch({ type: 'rows', lane }),
    publishReport: (report) => greeting.status().connected && reports.publish(report),
    state: () => ({ ...greeting.status(), ...acknowledged }),
    close() {
      ticker.cancel();
      inbox.close();
      runner.stop();
      closing ??= link.leave();
      return closing;
    },
  };
}

/** The store, and when it last heard that the cloud took over records. */
function withAcknowledged({ store, clock }: UplinkOptions) {
  const acknowledged: Pick<UplinkStatus, 'acknowledged_mono_ms'> = { acknowledged_mono_ms: null };
  const heard: UplinkOptions['store'] = {
    outboxBatch: store.outboxBatch,
    outboxState: store.outboxState,
    startOutboxEpoch: store.startOutboxEpoch,
    acknowledge(ack) {
      acknowledged.acknowledged_mono_ms = clock.monotonic();
      return store.acknowledge(ack);
    },
  };
  return { store: heard, acknowledged };
}

type GreetingStatus = Omit<UplinkStatus, 'acknowledged_mono_ms'>;

/** Says hello to the cloud, and knows by its answers whether the cloud is there. */
function createGreeting({ clock, logger, bootId, agentVersion, isClockOk }: UplinkOptions, link: CloudLink) {
  let receivers = NO_RECEIVERS;
  let sentMs = 0;
  let isUnanswered = false;
  /** Whether the cloud asked for a hello in this connection. */
  let isAsked = false;
  let status: GreetingStatus = { connected: false, since_ms: null, cloud_offset_ms: null, refusal: null };

  function setConnected(connected: boolean): void {
    if (status.connected === connected) return;
    status = { ...status, connected, since_ms: clock.now() };
    const message = connected ? 'connected to the cloud' : 'not connected to the cloud';
    logger.info({ connection: link.connection }, message);
    receivers.onConnectedChange(connected);
  }

  function disconnected(): void {
    isUnanswered = false;
    isAsked = false;
    setConnected(false);
  }

  return {
    status: () => status,
    start: (given: UplinkReceivers) => void (receivers = given),
    sayHello(outbox: OutboxLanes): void {
      // The broker is there, but the cloud behind it did not answer the last hello.
      if (isUnanswered) setConnected(false);
      isUnanswered = true;
      status = { ...status, refusal: null };
      sentMs = clock.monotonic();
      const hello: Hello = {
        boot_id: bootId,
        connection: link.connection,
        agent_version: agentVersion,
        mono_ms: Math.round(sentMs),
        wall_ms: Math.max(0, clock.now()),
        clock_ok: isClockOk(),
        epoch: outbox.epoch,
        lanes: outbox.lanes.map(({ lane, first_seq, last_seq }) => ({ lane, first_seq, last_seq })),
        config: receivers.configRevisions(),
      };
      // When the link ends instead, `onEnd` reports it.
      const sent = link.publish('hello', JSON.stringify(hello), { qos: 1, retain: false });
      sent.catch(() => undefined);
    },
    welcomed({ cloud_ms }: Welcome): void {
      isUnanswered = false;
      // The cloud read its clock about halfway between question and answer.
      const askedMs = (sentMs + clock.monotonic()) / 2;
      status = { ...status, cloud_offset_ms: cloud_ms - askedMs };
    },
    /** The cloud asks for a hello. */
    asked(): void {
      isAsked = status.connected;
    },
    /** The cloud accepts records. */
    drains(): void {
      setConnected(true);
      if (isAsked) receivers.onConnectedChange(true);
      isAsked = false;
    },
    disconnected,
    ended(refusal: string | null): void {
      status = { ...status, refusal };
      disconnected();
    },
  };
}
