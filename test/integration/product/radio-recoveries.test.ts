/**
 * What heals a gateway's radio, from the fault on the emulated radio to the metrics of the cloud: each step of the ladder is in the gateway's
 * status and log with its cause, and counted in its status, over REST and in the metrics.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHealthReporter } from '../../../agent/health/health-reporter.js';
import { createRecoveryCounter, radioHealthOf, type RecoveryStep } from '../../../agent/product/radio-health.js';
import type { Radio } from '../../../agent/product/radio.js';
import { measureGateways } from '../../../cloud/equipment/gateway/gateway-metrics.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import type { GatewayReport } from '../../../shared/uplink-reports.js';
import type { Peripheral } from '../../../scripts/sim/radio/product-air.js';
import { type Hub, serveHub } from '../../../scripts/sim/radio/hub.js';
import { createVirtualRadio, type VirtualRadio } from '../../../scripts/sim/radio/virtual-radio.js';
import { FakeClock } from '../../world/fake-clock.js';
import { echoingProduct, GATEWAY, PRODUCT, until } from '../../unit/radio/bench.js';
import { childrenOf } from '../../unit/radio/processes.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';
import { childRadio } from '../../world/test-radios.js';
import { productReportsOf } from '../../world/product-reports.js';

const UUID = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7d01' as GatewayUuid;
const ADAPTER = 'hci0';
const SILENCE_MS = 300;

describe('the recoveries of a radio', () => {
  const clock = new FakeClock();
  const recoveries = createRecoveryCounter(clock);
  const log: string[] = [];
  /** As they were made, with their causes. */
  const made: { step: RecoveryStep; reason: string }[] = [];
  const before = new Set(childrenOf(process.pid));
  let folder: string;
  let air: VirtualRadio;
  let hub: Hub;
  let product: Peripheral;
  let radio: Radio;
  let links = 0;

  const health = () => radioHealthOf(radio, [{ name: ADAPTER, radio, links: () => links }], recoveries);
  const countOf = (step: RecoveryStep) => made.filter((each) => each.step === step).length;
  const radioPids = () => childrenOf(process.pid).filter((pid) => !before.has(pid));

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'radio-'));
    air = createVirtualRadio({ random: Math.random });
    hub = await serveHub(air, join(folder, 'hub.sock'));
    product = await echoingProduct(air);
    const note = (fields: Record<string, unknown>, message: string) =>
      void log.push(`${message} ${JSON.stringify(fields)}`);
    radio = childRadio(
      { kind: 'sim', path: join(folder, 'hub.sock'), name: GATEWAY },
      {
        clock,
        logger: { debug() {}, info() {}, warn: note, error: note },
        random: () => 0.1,
        onLinks: (count) => {
          links = count;
        },
        onRecovery(step, reason) {
          made.push({ step, reason });
          recoveries.note(ADAPTER, step, reason);
        },
        cyclePower: async () => null,
      },
      { silenceMs: SILENCE_MS },
    );
    await until(() => radio.state === 'on');
  });
  afterAll(async () => {
    await radio.close();
    product.close();
    await hub.close();
    air.close();
    rmSync(folder, { recursive: true });
  });

  /** The process that was ended is replaced, when the gateway has waited as long as it says. */
  async function untilRestarted(count: number): Promise<void> {
    const delays = () => log.flatMap((line) => /is started again .*"delayMs":(\d+)/.exec(line)?.[1] ?? []);
    await until(() => delays().length === count);
    await clock.advance(Number(delays().at(-1)));
    await until(() => countOf('restart') === count && radio.state === 'on');
  }

  it('are made: a leaked connection, products that fall silent, a process that dies, an adapter that stays dead', async () => {
    const link = await radio.connect(PRODUCT, { timeoutMs: 10_000 });
    await until(() => links === 1);
    air.forgetEnds(GATEWAY, 1);
    await link.close();
    await until(() => countOf('free') === 1 && links === 0);
    expect(air.links()).toEqual([]);

    product.close();
    await until(() => countOf('reset') === 1);
    await untilRestarted(1);
    for (let count = 2; count <= 3; count++) {
      for (const pid of radioPids()) process.kill(pid, 'SIGKILL');
      await untilRestarted(count);
    }
    expect(countOf('power')).toBe(1);
  });

  it('are in the status and the log with their causes', () => {
    const causeOf = (step: RecoveryStep) => made.find((each) => each.step === step)?.reason;
    expect({
      free: causeOf('free'),
      rescan: causeOf('rescan'),
      reset: causeOf('reset'),
      restart: causeOf('restart'),
      power: causeOf('power'),
    }).toEqual({
      free: `nobody uses the connection to ${PRODUCT}, and it did not end`,
      rescan: `no product was heard for ${SILENCE_MS} ms`,
      reset: `no product was heard for ${SILENCE_MS} ms`,
      restart: `no product was heard for ${SILENCE_MS} ms`,
      power: 'it ended (SIGKILL)',
    });
    for (const { step, reason } of made) {
      const isNotified = (line: string) =>
        line.includes(reason) && (step === 'restart' || line.includes(`"step":"${step}"`));
      expect([step, reason, log.some(isNotified)]).toEqual([step, reason, true]);
    }
    const { recoveries: counted, last_recovery } = health();
    const steps = Object.keys(counted) as RecoveryStep[];
    expect(counted).toEqual(Object.fromEntries(steps.map((step) => [step, countOf(step)])));
    expect(last_recovery).toMatchObject({ adapter: ADAPTER, ...made.at(-1) });
  });

  it('are counted over REST and in the metrics of the cloud', async () => {
    const world: RestWorld = await startRestWorld();
    const { store, clock: cloudClock } = world.cloud;
    const reports = productReportsOf({ store, clock: cloudClock });
    const registry = new Registry();
    measureGateways(store, { registry, clock: cloudClock, logger: silentLogger });
    const sentReports: GatewayReport[] = [];
    const reporter = createHealthReporter({
      faults: () => [],
      update: () => undefined,
      clock,
      logger: silentLogger,
      store: {
        health: { file_bytes: 1, failed: null } as never,
        outboxState: async () => ({ epoch: '0'.repeat(32), lanes: [] }) as never,
        outboxBatch: async () => null,
      },
      rules: { products: () => [], gateway: () => undefined },
      radioHealth: health,
      cloudOffsetMs: () => 0,
      isClockOk: () => true,
      intervalMs: 3_600_000,
      publish: (report) => void sentReports.push(report),
    });
    try {
      const { id } = await world.post<{ id: number }>('/v2/gateways', {
        name: 'Pi',
        lot_id: world.site.north,
        uuid: UUID,
      });
      await reporter.report();
      await reports.handleReport(UUID, sentReports[0]);
      // The radio goes on: what it counts from then on is not in the report.
      const counted = sentReports[0]?.health?.radio.recoveries;
      if (counted === undefined) throw new Error('nothing was reported');
      expect(await world.get(`/v2/gateways/${id}/health`)).toMatchObject({ radio: { recoveries: counted } });

      await cloudClock.advance(5_000);
      const lines = (await registry.metrics()).split('\n');
      const metric = (name: string) =>
        Number(lines.find((line) => line.startsWith(`parking_gateway_radio_${name} `))?.split(' ')[1]);
      const { free, rescan, reset, restart, power } = counted;
      const steps = { frees: free, rescans: rescan, resets: reset, restarts: restart, power_cycles: power };
      for (const [name, count] of Object.entries(steps)) {
        expect([name, metric(name)]).toEqual([name, count]);
        expect(count).toBeGreaterThan(0);
      }
      const sum = Object.values(counted).reduce((all, count) => all + count, 0);
      expect(metric('recoveries')).toBe(sum);
      process.stdout.write(`\nRecoveries of a radio, as the cloud's metrics have them: ${JSON.stringify(steps)}\n`);
    } finally {
      reporter.close();
      await reports.close();
      await world.cloud.close();
    }
  });
});
