import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decideSign, READ_STUCK_S } from '../../../agent/health/decide-sign.js';
import type { LampSign } from '../../../agent/health/lamp.js';
import { createSelfWatch } from '../../../agent/health/self-watch.js';
import type { GatewayStatus } from '../../../agent/health/status.js';
import { createSysfsLamp, SIGNS } from '../../../agent/health/sysfs-lamp.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';
import { statusOf } from '../agent-console/view-world.js';
import { keepingLogger } from '../radio/bench.js';

const ONLINE = statusOf({ outbox: { pending: 0, lanes: [] } });
const OFFLINE = { ...ONLINE, cloud: { ...ONLINE.cloud, connected: false }, outbox: { pending: 7, lanes: [] } };
const UNCLAIMED = { ...OFFLINE, cloud: { ...OFFLINE.cloud, url: null } };
const WITHOUT_RADIO: GatewayStatus = { ...ONLINE, radio: { ...ONLINE.radio, state: 'unavailable' } };
const WITHOUT_DISK = { ...ONLINE, store: { ...ONLINE.store, failed: 'disk I/O error' } };

/** A gateway whose status the test gives, and what was said of it. */
function watched(first: () => Promise<GatewayStatus>, watchdogMs: number | null = 60_000) {
  const clock = new FakeClock();
  const { logger, complaints } = keepingLogger();
  const notified: string[] = [];
  const signs: LampSign[] = [];
  const gateway = { status: first };
  const watch = createSelfWatch({
    status: () => gateway.status(),
    problem: () => null,
    manager: { watchdogMs, notify: (...lines) => void notified.push(...lines) },
    lamp: { show: (sign) => void signs.push(sign) },
    clock,
    logger,
  });
  return {
    gateway,
    watch,
    clock,
    notified,
    signs,
    complaints,
    /** How often the service manager was fed since the last call. */
    fed: () => notified.splice(0).filter((line) => line === 'WATCHDOG=1').length,
  };
}

describe('the look of a gateway at itself', () => {
  it('feeds the service manager at least twice in its time, and says what changed', async () => {
    const world = watched(async () => ONLINE);
    await world.clock.advance(60_000);
    expect(world.notified).toContain('STATUS=online at https://cloud.example');
    expect(world.notified.filter((line) => line.startsWith('STATUS'))).toHaveLength(1);
    expect(world.fed()).toBeGreaterThanOrEqual(6);
    world.gateway.status = async () => OFFLINE;
    await world.clock.advance(10_000);
    expect(world.notified).toContain('STATUS=acts alone: https://cloud.example is not reached, 7 records wait');
    expect(world.signs.at(-1)).toBe('offline');
    world.watch.close();
    world.fed();
    await world.clock.advance(60_000);
    expect(world.notified).toEqual([]);
  });

  it('keeps to a service manager that waits for less', async () => {
    const world = watched(async () => ONLINE, 6_000);
    await world.clock.advance(6_000);
    expect(world.fed()).toBeGreaterThanOrEqual(3);
  });

  it('stops to feed when the store answers nothing, asks it no second time, and says why', async () => {
    const world = watched(async () => ONLINE);
    let asked = 0;
    world.gateway.status = () => {
      asked += 1;
      return new Promise(() => {});
    };
    await world.clock.advance(10_000 + 20_000);
    world.fed();
    await world.clock.advance(120_000);
    expect([world.fed(), asked]).toEqual([0, 1]);
    expect(world.signs.at(-1)).toBe('fault');
    expect(world.complaints).toHaveLength(1);
  });

  it('feeds on when a slow card answered at last', async () => {
    const world = watched(async () => ONLINE);
    let answer: (status: GatewayStatus) => void = () => {};
    world.gateway.status = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    await world.clock.advance(35_000);
    world.gateway.status = async () => ONLINE;
    answer(ONLINE);
    world.fed();
    await world.clock.advance(20_000);
    expect([world.fed() > 0, world.signs.at(-1)]).toEqual([true, 'online']);
  });

  it('stops to feed when nobody decides a read', async () => {
    const stuck = { ...ONLINE, reads: { under_way: 1, oldest_s: READ_STUCK_S + 1 } };
    const world = watched(async () => stuck);
    await world.clock.advance(60_000);
    expect(world.fed()).toBe(0);
    expect(world.complaints).toEqual([expect.stringContaining('the gateway is stuck')]);
    world.gateway.status = async () => ({ ...stuck, reads: { under_way: 1, oldest_s: READ_STUCK_S } });
    await world.clock.advance(10_000);
    expect(world.fed()).toBe(1);
  });

  it.each([
    ['its adapter is missing: gates by contact and reads still work', WITHOUT_RADIO],
    ['its disk refuses: it decides from memory', WITHOUT_DISK],
  ])('feeds on when %s; the lamp says it when it lasts', async (_what, status) => {
    const world = watched(async () => status);
    await world.clock.advance(10_000);
    expect([world.fed() > 0, world.signs]).toEqual([true, []]);
    await world.clock.advance(30_000);
    expect([world.fed() > 0, world.signs.at(-1)]).toEqual([true, 'fault']);
  });

  it('feeds on while the gateway is started anew and cannot say how it is', async () => {
    const world = watched(() => Promise.reject(new Error('ask again in a moment')));
    await world.clock.advance(60_000);
    expect(world.fed()).toBeGreaterThanOrEqual(6);
  });
});

describe('what is said of a gateway', () => {
  const former = (why: 'replaced' | 'reset' | 'deleted') => ({
    ...UNCLAIMED,
    claim: { problem: null, former: { why } },
  });
  it.each([
    ['online', ONLINE, 'online', 'online at https://cloud.example'],
    ['without its cloud', OFFLINE, 'offline', 'acts alone'],
    ['unclaimed', UNCLAIMED, 'waiting', 'waits for its claim'],
    ['without its adapter', WITHOUT_RADIO, 'fault', 'the Bluetooth adapter does not work'],
    ['without its disk', WITHOUT_DISK, 'fault', 'nothing can be stored: disk I/O error'],
    [
      'without its disk and unclaimed',
      { ...WITHOUT_DISK, cloud: UNCLAIMED.cloud },
      'fault',
      'waits for its claim; nothing',
    ],
    ['replaced', former('replaced'), 'ended', 'this device was replaced'],
    ['deleted', former('deleted'), 'ended', 'this device was deleted'],
    ['reset', former('reset'), 'waiting', 'waits for its claim'],
  ])('%s', (_what, status, sign, text) => {
    expect(decideSign(status, null)).toEqual({ sign, text: expect.stringContaining(text) });
  });

  it('names what is wrong with its claim', () => {
    expect(decideSign(UNCLAIMED, 'claim.json: it is not JSON').text).toBe(
      'waits for its claim: claim.json: it is not JSON',
    );
    const refused = { ...UNCLAIMED, claim: { problem: 'the code is used', former: null } };
    expect(decideSign(refused, null).text).toBe('waits for its claim: the code is used');
  });
});

describe('an LED of the kernel', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'led-'));
    for (const [name, text] of Object.entries({ trigger: 'none [mmc0] timer', delay_on: '500', delay_off: '500' }))
      writeFileSync(join(folder, name), text);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const file = (name: string) => readFileSync(join(folder, name), 'utf8');

  it.each(Object.entries(SIGNS))('blinks by the timer of the kernel: %s', (sign, [onMs, offMs]) => {
    createSysfsLamp(folder, { logger: silentLogger }).show(sign as LampSign);
    expect([file('trigger'), file('delay_on'), file('delay_off')]).toEqual(['timer', String(onMs), String(offMs)]);
  });

  it('tells all signs apart', () => {
    expect(new Set(Object.values(SIGNS).map(String)).size).toBe(Object.keys(SIGNS).length);
  });

  it('leaves a timer that is set, whose files the unit gave to the gateway', () => {
    writeFileSync(join(folder, 'trigger'), 'none mmc0 [timer]\n');
    createSysfsLamp(folder, { logger: silentLogger }).show('online');
    expect([file('trigger'), file('delay_on')]).toEqual(['none mmc0 [timer]\n', '1000']);
  });

  it('says once that it cannot be written, and keeps nobody from work', () => {
    const { logger, complaints } = keepingLogger();
    rmSync(folder, { recursive: true });
    const lamp = createSysfsLamp(folder, { logger });
    lamp.show('starting');
    lamp.show('online');
    expect(complaints).toEqual([expect.stringContaining('LED_PATH cannot be written')]);
    mkdirSync(folder);
    writeFileSync(join(folder, 'trigger'), 'none timer');
    lamp.show('online');
    expect(file('delay_on')).toBe('1000');
  });

  it('need not be there', () => {
    const { logger, complaints } = keepingLogger();
    createSysfsLamp(null, { logger }).show('fault');
    expect(complaints).toEqual([]);
  });
});
