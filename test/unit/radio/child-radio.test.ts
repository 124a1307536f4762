import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createChildRadio } from '../../../agent/product/radio-process/child-radio.js';
import type { HciChoice } from '../../../agent/product/hci/hci-choice.js';
import { createOffRadio } from '../../../agent/product/off-radio.js';
import type { Radio } from '../../../agent/product/radio.js';
import type { Clock } from '../../../shared/clock.js';
import { systemClock } from '../../../shared/system-clock.js';
import type { Peripheral } from '../../sim/radio/product-air.js';
import { type Hub, serveHub } from '../../sim/radio/hub.js';
import { createVirtualRadio, type VirtualRadio } from '../../sim/radio/virtual-radio.js';
import { FakeClock } from '../../sim/world/fake-clock.js';
import { echoingProduct, failure, GATEWAY, keepingLogger, PRODUCT, until } from './bench.js';
import { childrenOf, isAlive } from './processes.js';

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

function start(options: { clock?: Clock; hci?: HciChoice } = {}): Radio {
  const kept = keepingLogger();
  complaints = kept.complaints;
  radio = createChildRadio({
    hci: { kind: 'sim', path: join(folder, 'hub.sock'), name: GATEWAY },
    clock: systemClock,
    logger: kept.logger,
    random: () => 0.1,
    ...options,
  });
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
    expect(complaints.join('\n')).toMatch(/radio process is started again in \d+ ms: it ended \(SIGKILL\)/);
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

  it('says once that there is no adapter, and does not end for it', async () => {
    const under = start({ hci: { kind: 'adapter', index: 99 } });
    const pid = await radioProcess();
    await until(() => complaints.length > 0);
    expect(complaints).toEqual([expect.stringContaining('No Bluetooth adapter, the radio is unavailable: ')]);
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
