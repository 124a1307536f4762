/** The share of a fleet that one process holds. */
import { join } from 'node:path';
import { createMqttTransport } from '../../agent/uplink/mqtt-transport.js';
import { every } from '../../shared/clock.js';
import { systemClock } from '../../shared/system-clock.js';
import type { FleetNote, FleetOrder, FleetState } from './fleet-messages.js';
import { claimSimulated, type GatewayOptions, type SimulatedGateway, startSimulated } from './simulated-gateway.js';

const SAY_EVERY_MS = 200;
const WRITE_EVERY_MS = 20;
const ASK_EVERY_MS = 20;
/** A gateway whose first connection takes longer leaves its place to the next one, and goes on. */
const CONNECT_TURN_MS = 10_000;

type Connect = Extract<FleetOrder, { kind: 'connect' }>;

export interface FleetShare {
  connect(order: Connect): Promise<void>;
  /** Writes so many records a second, in turn at all gateways that know their cameras, connected or not. */
  write(order: { perSecond: number; seconds: number }): void;
  stop(): void;
  close(): Promise<void>;
}

export function createFleetShare(say: (note: FleetNote) => void): FleetShare {
  const transport = createMqttTransport({ clock: systemClock });
  const ending = new AbortController();
  const gateways: { index: number; gateway: SimulatedGateway }[] = [];
  const lagsMs: number[] = [];
  let claimed = 0;
  let reconnects = 0;
  let stopWriting: (() => void) | null = null;

  const state = (): FleetState => ({
    kind: 'state',
    claimed,
    connected: gateways.filter(({ gateway }) => gateway.isConnected()).length,
    ready: gateways.filter(({ gateway }) => gateway.isConnected() && gateway.isReady()).length,
    reconnects,
    isWriting: stopWriting !== null,
    written: gateways.reduce((sum, { gateway }) => sum + gateway.written(), 0),
    acknowledged: lagsMs.length,
  });
  const saying = every({
    clock: systemClock,
    periodMs: SAY_EVERY_MS,
    work: () => say(state()),
    onError: (error) => say({ kind: 'problem', text: String(error) }),
  });

  async function connectOne(order: Connect, { uuid, claimCode, index }: Connect['gateways'][number]): Promise<void> {
    let isNow = false;
    const options: GatewayOptions = {
      index,
      run: order.run,
      identityFile: join(order.state, `${uuid}.json`),
      cloudUrl: order.cloudUrl,
      claimCode,
      transport,
      signal: ending.signal,
      onAcknowledged: (lagMs) => lagsMs.push(lagMs),
      onConnectedChange(isConnected) {
        // It is also called when the cloud asks a connected gateway for a hello.
        if (isConnected === isNow) return;
        isNow = isConnected;
        if (!isConnected) reconnects += 1;
      },
    };
    await claimSimulated(options);
    claimed += 1;
    const gateway = await startSimulated(options);
    gateways.push({ index, gateway });
    const until = systemClock.monotonic() + CONNECT_TURN_MS;
    while (!gateway.isReady() && !ending.signal.aborted && systemClock.monotonic() < until) await pause(ASK_EVERY_MS);
  }

  return {
    async connect(order) {
      const left = [...order.gateways];
      const connectNext = async () => {
        for (let next = left.shift(); next !== undefined && !ending.signal.aborted; next = left.shift()) {
          try {
            await connectOne(order, next);
          } catch (error) {
            if (ending.signal.aborted) return;
            say({ kind: 'problem', text: `gateway ${next.uuid}: ${error instanceof Error ? error.message : error}` });
          }
        }
      };
      await Promise.all(Array.from({ length: order.atOnce }, connectNext));
    },
    write({ perSecond, seconds }) {
      const ready = gateways.filter(({ gateway }) => gateway.isReady());
      const startMs = systemClock.monotonic();
      let written = 0;
      const timer = every({
        clock: systemClock,
        periodMs: WRITE_EVERY_MS,
        async work() {
          const passedS = Math.min(seconds, (systemClock.monotonic() - startMs) / 1_000);
          for (const due = Math.floor(passedS * perSecond); written < due; written++) {
            await ready[written % ready.length]?.gateway.write();
          }
          if (passedS >= seconds) stopWriting?.();
        },
        onError: (error) => say({ kind: 'problem', text: String(error) }),
      });
      stopWriting = () => {
        timer.cancel();
        stopWriting = null;
        say(state());
      };
    },
    stop: () => stopWriting?.(),
    async close() {
      stopWriting?.();
      saying.cancel();
      ending.abort();
      const written = gateways.map(({ index, gateway }): [number, number] => [index, gateway.written()]);
      await Promise.all(gateways.map(({ gateway }) => gateway.close()));
      say({ kind: 'closed', lagsMs, written });
    },
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
