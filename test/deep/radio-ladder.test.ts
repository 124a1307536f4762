/** What the radio process does about products that are not heard any more, as long as it takes: the steps, their causes, and how far they are apart. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Radio } from '../../agent/product/radio.js';
import { systemClock } from '../../shared/system-clock.js';
import { type Hub, serveHub } from '../../scripts/sim/radio/hub.js';
import type { Peripheral } from '../../scripts/sim/radio/product-air.js';
import { createVirtualRadio, type VirtualRadio } from '../../scripts/sim/radio/virtual-radio.js';
import { echoingProduct, GATEWAY, PRODUCT, until } from '../unit/radio/bench.js';
import { childRadio } from '../world/test-radios.js';

describe('the ladder', () => {
  let folder: string;
  let air: VirtualRadio;
  let hub: Hub;
  let product: Peripheral;
  let radio: Radio | undefined;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'radio-'));
    air = createVirtualRadio({ random: Math.random });
    hub = await serveHub(air, join(folder, 'hub.sock'));
    product = await echoingProduct(air);
  });
  afterEach(async () => {
    await radio?.close();
    product.close();
    await hub.close();
    air.close();
    rmSync(folder, { recursive: true });
  });

  it('goes up the ladder while products stay silent, each round slower, to the power of the adapter, and tells why', async () => {
    const silenceMs = 500;
    const steps: { step: string; reason: string; atMs: number }[] = [];
    let cycles = 0;
    const under = childRadio(
      { kind: 'sim', path: join(folder, 'hub.sock'), name: GATEWAY },
      {
        random: () => 0.1,
        onRecovery: (step, reason) => void steps.push({ step, reason, atMs: systemClock.monotonic() }),
        cyclePower: async () => {
          cycles += 1;
          // That is what it takes.
          product = await echoingProduct(air);
          return null;
        },
      },
      { silenceMs },
    );
    radio = under;
    await until(() => under.state === 'on');
    await new Promise((resolve) => under.onAdvertisement(resolve));
    product.close();
    await until(() => cycles === 1 && steps.at(-1)?.step === 'restart');
    const round = ['rescan', 'reset', 'restart'];
    expect(steps.map(({ step }) => step)).toEqual([...round, ...round, 'rescan', 'reset', 'power', 'restart']);
    expect(steps.map(({ reason }) => reason)).toEqual([
      ...round.map(() => `no product was heard for ${silenceMs} ms`),
      ...round.map(() => `no product was heard for ${2 * silenceMs} ms`),
      ...[...round, 'power'].map(() => `no product was heard for ${4 * silenceMs} ms`),
    ]);
    await until(() => under.state === 'on');
    await (await under.connect(PRODUCT, { timeoutMs: 10_000 })).close();
    process.stdout.write(
      `\nThe ladder of a silent adapter\n${steps
        .map(
          ({ step, reason, atMs }) =>
            `  after ${Math.round(atMs - (steps[0]?.atMs ?? 0))} ms  ${step.padEnd(8)}  ${reason}\n`,
        )
        .join('')}`,
    );
  });
});
