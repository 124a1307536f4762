/**
 * 10,000 LoRa uplinks within a minute through a real Mosquitto, each a change of a place: how many come into the gateway's queue, and what one
 * costs, against an mqtt.js client that only counts them. In the middle the broker restarts; network servers send again what it did not take.
 */
import mqtt from 'mqtt';
import { sleep } from '../../shared/clock.js';
import { systemClock } from '../../shared/system-clock.js';
import { NETWORK_MESSAGES, payloadOf } from '../../scripts/sim/sensors/lora-payloads.js';
import { hasMosquitto, startMosquitto } from '../world/mosquitto-server.js';
import { amount, printFigure, startChild } from './harness.js';
import type { HearingCost } from './lora-hearer.js';
import { LORA_PLACES, loraSensor } from './lora-places.js';
import { MINUTE_MS } from '../../shared/durations.js';

const UPLINKS = 10_000;
const BURST_MS = 20;
const SETTLE_MS = 3_000;
const LATEST_MS = 30_000;
const LOOK_MS = 500;

/** Runs the benchmark. */
export async function benchLoraUplinks(): Promise<void> {
  if (!hasMosquitto()) {
    console.log('left out: Mosquitto is not installed; scripts/setup --test installs it');
    return;
  }
  await measure('within a minute', { breaks: false });
  await measure('within a minute, while the broker restarts', { breaks: true });
}

async function measure(name: string, { breaks }: { breaks: boolean }): Promise<void> {
  const broker = await startMosquitto({ hasPlugin: false });
  const port = String(broker.port);
  const start = (kind: string) => startChild('lora-hearer.js', [kind, port]);
  const [hub, bare] = await Promise.all([start('hub'), start('bare')]);
  const sender = mqtt.connect(`mqtt://127.0.0.1:${port}`, { clientId: 'sender', clean: false, reconnectPeriod: 100 });
  sender.on('error', () => {});
  const ask = (child: typeof hub) => child.ask<HearingCost>('cost');
  const total = { hub: { cpuUs: 0, heard: 0, queued: 0 }, bare: { cpuUs: 0, heard: 0, queued: 0 } };
  const look = async () => {
    for (const [kind, child] of [
      ['hub', hub],
      ['bare', bare],
    ] as const) {
      const { cpuUs, heard, queued } = await ask(child);
      total[kind].cpuUs += cpuUs;
      total[kind].heard += heard;
      total[kind].queued += queued;
    }
  };
  try {
    await sleep(systemClock, SETTLE_MS);
    await Promise.all([ask(hub), ask(bare)]);
    const began = performance.now();
    const sent: Promise<unknown>[] = [];
    let isBroken = false;
    while (sent.length < UPLINKS) {
      const due = Math.min(UPLINKS, Math.ceil(((performance.now() - began) / MINUTE_MS) * UPLINKS));
      while (sent.length < due) sent.push(send(sender, sent.length));
      if (breaks && !isBroken && sent.length > UPLINKS / 2) {
        isBroken = true;
        await broker.stop();
        await broker.start();
      }
      await sleep(systemClock, BURST_MS);
    }
    await Promise.all(sent);
    const tookMs = performance.now() - began;
    for (let waitedMs = 0; waitedMs < LATEST_MS; waitedMs += LOOK_MS) {
      await sleep(systemClock, LOOK_MS);
      await look();
      if (total.hub.queued >= UPLINKS && total.bare.heard >= UPLINKS) break;
    }
    const lost = UPLINKS - total.hub.queued;
    printFigure(
      `${UPLINKS} LoRa uplinks through a Mosquitto ${name} (${(tookMs / 1_000).toFixed(0)} s)`,
      [lost, `${total.hub.queued} changes in the queue, ${lost} lost, ${total.hub.heard - UPLINKS} heard twice`],
      [1, `${UPLINKS} sent`],
      0,
    );
    printFigure(
      `processor time of one uplink, ${name}`,
      amount(total.hub.cpuUs / UPLINKS, '{} us'),
      amount(total.bare.cpuUs / UPLINKS, 'an mqtt.js client that counts them {} us'),
      null,
    );
  } finally {
    sender.end(true);
    await Promise.all([hub.end(), bare.end()]);
    await broker.remove();
  }
}

/** The sensors take turns, and each says the other state than before. Resolves when the broker took it. */
function send(sender: mqtt.MqttClient, index: number): Promise<unknown> {
  const isOccupied = Math.floor(index / LORA_PLACES) % 2 === 0;
  const payload = payloadOf('bosch-tps110', { isOccupied, occupied_below_mm: null, hysteresis_mm: null });
  const { topic, message } = NETWORK_MESSAGES.chirpstack({
    devEui: loraSensor(index % LORA_PLACES),
    application: 'parking',
    sent_ms: Date.now(),
    count: index,
    ...payload,
  });
  return sender.publishAsync(topic, JSON.stringify(message), { qos: 1 });
}
