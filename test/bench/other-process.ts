/** How much later a socket at another cloud process hears a lot_change than one at the process that took the gateway's report. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import mqtt from 'mqtt';
import { openIdentity } from '../../agent/commissioning/identity.js';
import { joinCloud } from '../../agent/commissioning/join.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { upTopic } from '../../shared/topics.js';
import type { GatewayReport } from '../../shared/uplink-reports.js';
import { heardBarrier } from '../integration/product/heard-barrier.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { amount, hearEvents, median, printFigure } from './harness.js';
import { startInstallation } from './installation.js';

const TOKEN = 'bench-integration-token-0123456789abcdef';
const CLAIM_CODE = 'BENCH-NORTH-0001';
const PRODUCT = 'a4c138000001';
const SITE = `version: 1
accounts:
  - name: Bench
    users: [{email: o@bench.example, password: "long pass phrase", name: Olga, role: Super Admin}]
    api_tokens: [{name: bench, token: ${TOKEN}}]
    lots:
      - name: North
        gateways: [{name: Pi, claim_code: ${CLAIM_CODE}}]
        zones:
          - name: Level 0
            products: [{device_id: ${PRODUCT}, name: Gate, type: gate, power_type: mains}]
`;
const REPORTS = 300;
const WARM_UP = 50;
/** At most so many times as late. */
const LATER_MAX = 1.5;

export async function benchOtherProcess(): Promise<void> {
  const installation = await startInstallation(SITE);
  const endings: (() => void)[] = [];
  const ending = new AbortController();
  try {
    const clouds = [await installation.startCloud(), await installation.startCloud()];
    const [cloudUrl = ''] = clouds.map(({ url }) => url);
    const [product] = await installation.ask('select id::int, device_id from products');
    const heardAt = await Promise.all(clouds.map(({ url }) => listen(url, endings)));
    const gateway = await claim(join(installation.directory, 'gateway'), { cloudUrl, signal: ending.signal });
    const reportOf = (state: 'opened' | 'closed'): GatewayReport => ({
      products: [heardBarrier(Number(product?.['id']), String(product?.['device_id']), { state })],
    });

    /** Reports a state, and waits until both sockets have heard of it. @returns after how many milliseconds each did */
    async function report(state: 'opened' | 'closed'): Promise<number[]> {
      for (const each of heardAt) each.ms = null;
      const sentMs = performance.now();
      gateway.publish(reportOf(state));
      await waitUntil('both to hear it', () => heardAt.every(({ ms }) => ms !== null), 10_000);
      return heardAt.map(({ ms }) => (ms ?? Number.NaN) - sentMs);
    }

    // Until its process hears it, what a gateway reports is lost.
    await waitUntil('the first report', () => report('closed').then(() => true));
    const samples: number[][] = [];
    for (let number = 0; number < WARM_UP + REPORTS; number++) {
      const took = await report(number % 2 === 0 ? 'opened' : 'closed');
      if (number >= WARM_UP) samples.push(took);
    }
    gateway.end();
    const medians = clouds.map((_, index) => median(samples.map((took) => took[index] ?? Number.NaN)));
    // A gateway is one process's: its socket is the earlier one.
    const [same = Number.NaN, other = Number.NaN] = medians.toSorted((a, b) => a - b);
    printFigure(
      'a lot_change from a report to a socket (median)',
      amount(other, '{} ms at the other process', 2),
      amount(same, '{} ms at the one that took the report', 2),
      LATER_MAX,
    );
  } finally {
    ending.abort();
    for (const end of endings) end();
    await installation.close();
  }
}

/** Connects a socket, and notes when it hears the first lot_change since `ms` was null. */
async function listen(cloudUrl: string, endings: (() => void)[]): Promise<{ ms: number | null }> {
  const heard: { ms: number | null } = { ms: null };
  const end = await hearEvents({ cloudUrl, token: TOKEN }, (event) => {
    if (event === 'lot_change') heard.ms ??= performance.now();
  });
  endings.push(end);
  return heard;
}

async function claim(directory: string, { cloudUrl, signal }: { cloudUrl: string; signal: AbortSignal }) {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'identity.json');
  await joinCloud({
    identity: openIdentity(file),
    claim: { cloudUrl, code: CLAIM_CODE },
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    signal,
  });
  const { cloud, uuid } = openIdentity(file);
  if (cloud === null) throw new Error('the gateway is not claimed');
  const { url, username, password } = cloud.mqtt;
  const client = await mqtt.connectAsync(url, { clientId: username, username, password });
  return {
    publish: (report: GatewayReport) =>
      void client.publish(upTopic(uuid, 'report'), JSON.stringify(report), { qos: 0 }),
    end: () => client.end(true),
  };
}
