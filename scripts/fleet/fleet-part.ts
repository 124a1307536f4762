/** The share of a fleet that one process holds. */
import { join } from 'node:path';
import { createMqttTransport } from '../../agent/uplink/mqtt-transport.js';
import type { UplinkTransport } from '../../agent/uplink/uplink-transport.js';
import { every, type Timer } from '../../shared/clock.js';
import { systemClock } from '../../shared/system-clock.js';
import type { FleetNote, FleetOrder, FleetState } from './fleet-messages.js';
import { claimSimulated, type GatewayOptions, type SimulatedGateway, startSimulated } from './simulated-gateway.js';
import { errorText } from '../../shared/error-text.js';

const SAY_EVERY_MS = 200;
const WRITE_EVERY_MS = 20;
const ASK_EVERY_MS = 20;
/** The longest time that the next gateway waits for this one's first connection. */
const CONNECT_TURN_MS = 10_000;

type Connect = Extract<FleetOrder, { kind: 'connect' }>;

export interface FleetPart {
  connect(order: Connect): Promise<void>;
  /** Writes so many records a second, in turn at all gateways that know their cameras, connected or not. */
  write(order: { perSecond: number; seconds: number }): void;
  stop(): void;
  close(): Promise<void>;
}

/** The state of a share: its gateways and counters. */
interface PartState {
  transport: UplinkTransport;
  ending: AbortController;
  gateways: { index: number; gateway: SimulatedGateway }[];
  lagsMs: number[];
  claimed: number;
  reconnects: number;
}

export function createFleetPart(say: (note: FleetNote) => void): FleetPart {
  const part: PartState = {
    transport: createMqttTransport({ clock: systemClock }),
    ending: new AbortController(),
    gateways: [],
    lagsMs: [],
    claimed: 0,
    reconnects: 0,
  };
  const { ending, gateways, lagsMs } = part;
  const report = (error: unknown) => say({ kind: 'problem', text: String(error) });

  const state = (): FleetState => ({
    kind: 'state',
    claimed: part.claimed,
    connected: gateways.filter(({ gateway }) => gateway.isConnected()).length,
    ready: gateways.filter(({ gateway }) => gateway.isConnected() && gateway.isReady()).length,
    reconnects: part.reconnects,
    isWriting: writing.isUnderWay(),
    written: gateways.reduce((sum, { gateway }) => sum + gateway.written(), 0),
    acknowledged: lagsMs.length,
  });
  const writing = createWriting({ gateways, onError: report, onStopped: () => say(state()) });
  const saying = every({ clock: systemClock, periodMs: SAY_EVERY_MS, work: () => say(state()), onError: report });

  return {
    async connect(order) {
      const left = [...order.gateways];
      const connectNext = async () => {
        for (let next = left.shift(); next !== undefined && !ending.signal.aborted; next = left.shift()) {
          try {
            await connectOne(part, order, next);
          } catch (error) {
            if (ending.signal.aborted) return;
            say({ kind: 'problem', text: `gateway ${next.uuid}: ${errorText(error)}` });
          }
        }
      };
      await Promise.all(Array.from({ length: order.atOnce }, connectNext));
    },
    write: writing.start,
    stop: writing.stop,
    async close() {
      writing.stop();
      saying.cancel();
      ending.abort();
      const written = gateways.map(({ index, gateway }): [number, number] => [index, gateway.written()]);
      await Promise.all(gateways.map(({ gateway }) => gateway.close()));
      say({ kind: 'closed', lagsMs, written });
    },
  };
}

/** Claims a gateway and starts it. Resolves when it knows its cameras, or after `CONNECT_TURN_MS`. */
async function connectOne(
  part: PartState,
  order: Connect,
  { uuid, claimCode, index }: Connect['gateways'][number],
): Promise<void> {
  const { signal } = part.ending;
  let isNow = false;
  const options: GatewayOptions = {
    index,
    run: order.run,
    identityFile: join(order.state, `${uuid}.json`),
    cloudUrl: order.cloudUrl,
    claimCode,
    transport: part.transport,
    signal,
    onAcknowledged: (lagMs) => part.lagsMs.push(lagMs),
    onConnectedChange(isConnected) {
      // It is also called when the cloud asks a connected gateway for a hello.
      if (isConnected === isNow) return;
      isNow = isConnected;
      if (!isConnected) part.reconnects += 1;
    },
  };
  await claimSimulated(options);
  part.claimed += 1;
  const gateway = await startSimulated(options);
  part.gateways.push({ index, gateway });
  const until = systemClock.monotonic() + CONNECT_TURN_MS;
  while (!gateway.isReady() && !signal.aborted && systemClock.monotonic() < until) await pause(ASK_EVERY_MS);
}

/** Writes records in turn at all gateways that know their cameras. */
function createWriting(of: {
  gateways: readonly { gateway: SimulatedGateway }[];
  onError: (error: unknown) => void;
  onStopped: () => void;
}) {
  let timer: Timer | null = null;

  function stop(): void {
    if (timer === null) return;
    timer.cancel();
    timer = null;
    of.onStopped();
  }
  return {
    isUnderWay: () => timer !== null,
    start({ perSecond, seconds }: { perSecond: number; seconds: number }): void {
      const ready = of.gateways.filter(({ gateway }) => gateway.isReady());
      const startMs = systemClock.monotonic();
      let written = 0;
      timer = every({
        clock: systemClock,
        periodMs: WRITE_EVERY_MS,
        async work() {
          const passedS = Math.min(seconds, (systemClock.monotonic() - startMs) / 1_000);
          for (const due = Math.floor(passedS * perSecond); written < due; written++) {
            await ready[written % ready.length]?.gateway.write();
          }
          if (passedS >= seconds) stop();
        },
        onError: of.onError,
      });
    },
    stop,
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
