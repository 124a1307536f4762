import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChildRadioOptions } from '../../../agent/product/radio-process/child-radio.js';
import { cyclePower } from '../../../agent/product/hci/cycle-power.js';
import { adapterName } from '../../../agent/product/hci/hub-codec.js';
import { createJointRadio } from '../../../agent/product/joint-radio.js';
import { createOffRadio } from '../../../agent/product/off-radio.js';
import type { Radio } from '../../../agent/product/radio.js';
import { systemClock } from '../../../shared/system-clock.js';
import type { Peripheral } from '../../../scripts/sim/radio/product-air.js';
import { type Hub, serveHub } from '../../../scripts/sim/radio/hub.js';
import { createVirtualRadio, type VirtualRadio } from '../../../scripts/sim/radio/virtual-radio.js';
import { FakeClock } from '../../world/fake-clock.js';
import { warningsDuring } from '../../world/warnings-during.js';
import { echoingProduct, failure, GATEWAY, keepingLogger, PRODUCT, until } from './bench.js';
import { childrenOf, isAlive } from './processes.js';
import { childRadio } from '../../world/test-radios.js';

/** Connections that the emulated adapter can have. */
const SLOTS = 8;
const OWNER = fileURLToPath(new URL('./child-radio-owner.js', import.meta.url));

let folder: string;
let air: VirtualRadio;
let hub: Hub;
let product: Peripheral;
let radio: Radio | undefined;
let complaints: string[];

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

function start(options: Partial<ChildRadioOptions> = {}): Radio {
  const kept = keepingLogger();
  complaints = kept.complaints;
  const hci = { kind: 'sim', path: join(folder, 'hub.sock'), name: GATEWAY } as const;
  radio = childRadio(hci, { logger: kept.logger, random: () => 0.1, ...options });
  return radio;
}

/** The radio process of this test. */
async function radioProcess(): Promise<number> {
  await until(() => childrenOf(process.pid).length === 1);
  return childrenOf(process.pid)[0] ?? 0;
}

async function on(of: Radio): Promise<void> {
  await until(() => of.state === 'on');
}

async function exchange(of: Radio): Promise<void> {
  const link = await of.connect(PRODUCT, { timeoutMs: 10_000 });
  const answered = new Promise((resolve) => link.onNotification(resolve));
  await link.write(Uint8Array.of(1));
  await answered;
  await link.close();
}

describe('child radio', () => {
  it('replaces a process that dies, and tells those who waited for it', async () => {
    const under = start();
    await on(under);
    const pid = await radioProcess();
    const link = await under.connect(PRODUCT, { timeoutMs: 10_000 });
    const waiting = failure(under.connect('a4c1380000ff', { timeoutMs: 60_000 }));
    const states: string[] = [];
    under.onStateChange((state) => states.push(state));
    process.kill(pid, 'SIGSTOP');
    const writing = failure(link.write(Uint8Array.of(1)));
    process.kill(pid, 'SIGKILL');
    await link.closed;
    expect(await writing).toMatchObject({ type: 2 });
    expect(await waiting).toMatchObject({ type: 3 });
    expect(await failure(link.write(Uint8Array.of(1)))).toMatchObject({ type: 2 });
    await on(under);
    expect(states).toEqual(['unavailable', 'on']);
    expect(await radioProcess()).not.toBe(pid);
    expect(complaints.join('\n')).toMatch(/radio process is started again .*"it ended \(SIGKILL\)"/);
    await exchange(under);
  });

  it.each([
    ['connect', 4],
    ['write', 3],
  ])('takes a process for hung that does not answer a %s in time', async (what, type) => {
    const clock = new FakeClock();
    const under = start({ clock });
    await on(under);
    const pid = await radioProcess();
    const link = what === 'write' ? await under.connect(PRODUCT, { timeoutMs: 10_000 }) : undefined;
    process.kill(pid, 'SIGSTOP');
    const waiting = failure(link?.write(Uint8Array.of(1)) ?? under.connect(PRODUCT, { timeoutMs: 5_000 }));
    await clock.advance(8_000);
    expect(await waiting).toMatchObject({ type });
    await link?.closed;
    expect(under.state).toBe('unavailable');
    await until(() => !isAlive(pid));
    await untilRestarted(under, clock);
    await exchange(under);
  });

  it('takes a process for hung that says nothing any more', async () => {
    const clock = new FakeClock();
    const under = start({ clock });
    await on(under);
    const pid = await radioProcess();
    process.kill(pid, 'SIGSTOP');
    // What it has said before it was stopped may still arrive.
    while (under.state === 'on') await clock.advance(1_000);
    await until(() => !isAlive(pid));
    await untilRestarted(under, clock);
    expect(complaints.join('\n')).toContain('it said nothing for 20000 ms');
  });

  it('leaves no process behind, not even a hung one', async () => {
    const clock = new FakeClock();
    const under = start({ clock });
    await on(under);
    const pid = await radioProcess();
    process.kill(pid, 'SIGSTOP');
    const closed = under.close();
    await clock.advance(4_000);
    await closed;
    expect(isAlive(pid)).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it('does not let Ctrl-C and systemd end it before the gateway does', async () => {
    const under = start();
    await on(under);
    const pid = await radioProcess();
    process.kill(pid, 'SIGINT');
    process.kill(pid, 'SIGTERM');
    await exchange(under);
    expect(await radioProcess()).toBe(pid);
    await under.close();
    expect(isAlive(pid)).toBe(false);
  });

  it('ends with the gateway, however that ends', async () => {
    const owner = fork(OWNER, [join(folder, 'hub.sock')], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      execArgv: [],
    });
    await new Promise((resolve) => owner.stdout?.once('data', resolve));
    const [pid = 0] = childrenOf(owner.pid ?? 0);
    expect(isAlive(pid)).toBe(true);
    owner.kill('SIGKILL');
    await until(() => !isAlive(pid));
    await until(() => air.attached().every(({ role }) => role === 'peripheral'));
  });

  it('lets an urgent connect past those that wait, and past one that does not find its product', async () => {
    const under = start();
    await on(under);
    const away = await echoingProduct(air, { address: 'a4c138000002' });
    try {
      await (await under.connect('a4c138000002', { timeoutMs: 10_000 })).close();
      air.setProduct('a4c138000002', { inRange: false });
      const order: string[] = [];
      const note = (name: string, work: Promise<unknown>) => work.finally(() => void order.push(name));
      const searching = note('away', failure(under.connect('a4c138000002', { timeoutMs: 2_500 })));
      const waiting = note(
        'waiting',
        under.connect(PRODUCT, { timeoutMs: 10_000 }).then((link) => link.close()),
      );
      const urgent = note(
        'urgent',
        under.connect(PRODUCT, { timeoutMs: 10_000, isUrgent: true }).then((link) => link.close()),
      );
      await urgent;
      expect(order).toEqual(['urgent']);
      expect(await searching).toMatchObject({ type: 4 });
      await waiting;
      expect(order).toEqual(['urgent', 'away', 'waiting']);
    } finally {
      away.close();
    }
  });

  it('takes the slot of a link back that never ends', async () => {
    const steps: string[] = [];
    let links = 0;
    const under = start({
      onRecovery: (step) => void steps.push(step),
      onLinks: (count) => {
        links = count;
      },
    });
    await on(under);
    const link = await under.connect(PRODUCT, { timeoutMs: 10_000 });
    await until(() => links === 1);
    air.forgetEnds(GATEWAY, 1);
    await link.close();
    await until(() => links === 0 && air.links().length === 0);
    expect(steps).toEqual(['free']);
    await exchange(under);
    expect(complaints.join('\n')).toContain('a connection slot of the Bluetooth adapter is taken back');
  });

  it('has the adapter switched off and on after three starts in a row that went wrong', async () => {
    const clock = new FakeClock();
    const steps: string[] = [];
    let cycles = 0;
    const under = start({
      clock,
      onRecovery: (step, reason) => void steps.push(`${step}: ${reason}`),
      cyclePower: async () => {
        cycles += 1;
        return null;
      },
    });
    const restarts: number[] = [];
    for (let count = 1; count <= 3; count++) {
      await on(under);
      process.kill(await radioProcess(), 'SIGKILL');
      await until(() => complaints.filter((line) => line.includes('is started again')).length === count);
      restarts.push(Number(/"delayMs":(\d+)/.exec(complaints.findLast((line) => line.includes('again')) ?? '')?.[1]));
      await clock.advance(restarts.at(-1) ?? 0);
      await until(() => steps.filter((step) => step.startsWith('restart')).length === count);
    }
    expect(steps).toEqual([
      'restart: it ended (SIGKILL)',
      'restart: it ended (SIGKILL)',
      'power: it ended (SIGKILL)',
      'restart: it ended (SIGKILL)',
    ]);
    expect([cycles, restarts]).toEqual([1, restarts.toSorted((a, b) => a - b)]);
    await on(under);
  });

  it('says why the adapter could not be switched off and on', async () => {
    const clock = new FakeClock();
    const steps: string[] = [];
    const under = start({
      clock,
      onRecovery: (step, reason) => void steps.push(`${step}: ${reason}`),
      cyclePower: () => cyclePower(0, 'no-such-btmgmt'),
    });
    for (let count = 1; count <= 3; count++) {
      await on(under);
      process.kill(await radioProcess(), 'SIGKILL');
      await until(() => complaints.filter((line) => line.includes('is started again')).length === count);
      await clock.advance(
        Number(/"delayMs":(\d+)/.exec(complaints.findLast((line) => line.includes('again')) ?? '')?.[1]),
      );
      await until(() => steps.length === count);
    }
    const problem = 'its power could not be switched: no-such-btmgmt is not installed';
    const restart = 'restart: it ended (SIGKILL)';
    expect(steps).toEqual([restart, restart, `${restart}; ${problem}`]);
    expect(complaints.join('\n')).toContain('the Bluetooth adapter could not be switched off and on');
    await on(under);
  });

  it('has adapters beside it on the same radio: one listens and connects while another is busy', async () => {
    const path = join(folder, 'hub.sock');
    const first = start();
    const second = childRadio(
      { kind: 'sim', path, name: adapterName(GATEWAY, 1) },
      { logger: keepingLogger().logger, random: () => 0.1 },
    );
    const both = createJointRadio([first, second], { clock: systemClock });
    const other = await echoingProduct(air, { address: 'a4c138000002' });
    try {
      await Promise.all([on(first), on(second)]);
      const heardBy = (of: Radio, address: string) =>
        new Promise<void>((resolve) => {
          const stop = of.onAdvertisement((said) => {
            if (said.address !== address) return;
            stop();
            resolve();
          });
        });
      await Promise.all([heardBy(first, PRODUCT), heardBy(second, PRODUCT), heardBy(second, 'a4c138000002')]);
      air.setProduct(PRODUCT, { inRange: false });
      // One of them waits for a product that is not there, and cannot listen meanwhile.
      const waiting = failure(both.connect(PRODUCT, { timeoutMs: 3_000 }));
      await Promise.race([heardBy(both, 'a4c138000002'), waiting.then(() => expect.fail('nobody listened'))]);
      const link = await both.connect('a4c138000002', { timeoutMs: 10_000 });
      const answered = new Promise((resolve) => link.onNotification(resolve));
      await link.write(Uint8Array.of(1));
      await answered;
      expect(air.links().map((each) => each.product)).toEqual(['a4c138000002']);
      await link.close();
      expect(await waiting).toMatchObject({ type: 4 });
    } finally {
      other.close();
      await second.close();
    }
  });

  it('takes every slot of the adapter, and one more waits: no process complains, and all links end with it', async () => {
    const addresses = Array.from({ length: SLOTS }, (_, index) => `a4c1380001${index.toString(16).padStart(2, '0')}`);
    const products = await Promise.all(addresses.map((address) => echoingProduct(air, { address })));
    const warnings = await warningsDuring(async () => {
      const under = start();
      await on(under);
      const links = await Promise.all(addresses.map((address) => under.connect(address, { timeoutMs: 60_000 })));
      expect(air.links()).toHaveLength(SLOTS);
      expect(await failure(under.connect(PRODUCT, { timeoutMs: 1_000 }))).toMatchObject({
        message: 'The adapter had no connection left',
      });
      const askedMs = systemClock.monotonic();
      const busy = failure(under.connect(PRODUCT, { timeoutMs: 30_000, slotWithinMs: 500 }));
      expect(await busy).toMatchObject({ type: 3, message: 'The adapter had no connection left' });
      expect(systemClock.monotonic() - askedMs).toBeLessThan(10_000);
      const answers = links.map((link) => new Promise((resolve) => link.onNotification(resolve)));
      await Promise.all(links.map((link) => link.write(Uint8Array.of(1))));
      await Promise.all(answers);
      expect(complaints).toEqual([]);

      const pid = await radioProcess();
      process.kill(pid, 'SIGSTOP');
      const writings = links.map((link) => failure(link.write(Uint8Array.of(2))));
      process.kill(pid, 'SIGKILL');
      await Promise.all(links.map((link) => link.closed));
      for (const writing of writings) expect(await writing).toMatchObject({ type: 2 });
    }).finally(() => products.forEach((each) => each.close()));
    expect(warnings).toEqual([]);
  });

  it('says once that there is no adapter, and does not end for it', async () => {
    const under = start({ hci: { kind: 'adapter', index: 99 } });
    const pid = await radioProcess();
    await until(() => complaints.length > 0);
    expect(complaints).toEqual([expect.stringContaining('no Bluetooth adapter, the radio is unavailable')]);
    expect(under.state).toBe('unavailable');
    expect(await failure(under.connect(PRODUCT, { timeoutMs: 1_000 }))).toMatchObject({ type: 3 });
    expect(await radioProcess()).toBe(pid);
  });

  it('is off where it is configured so', async () => {
    const off = createOffRadio();
    expect(off.state).toBe('off');
    expect(await failure(off.connect(PRODUCT, { timeoutMs: 1_000 }))).toMatchObject({ type: 3 });
    await off.close();
  });
});

/** The restart waits on the test's clock, the new process does not. */
async function untilRestarted(of: Radio, clock: FakeClock): Promise<void> {
  await until(() => complaints.some((line) => line.includes('is started again')));
  await clock.advance(1_000);
  await on(of);
}
