import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTokenExpiry } from '../../../cloud/guests/guest-key/token-expiry.js';
import { silentLogger } from '../../../shared/logger.js';
import { type ApplyWorld, createApplyWorld } from '../site/apply-world.js';

const HOUR = 3_600_000;
/** Where the clock of the world begins. */
const NOON = Date.UTC(2026, 0, 15, 12);
const iso = (ms: number) => new Date(ms).toISOString();
const key = (name: string, end: number | null) =>
  `      - {name: ${name}, product: b4c138000001, receiver_identifier: ZG1, receiver_identifier_type: license_plate, start_time: ${iso(NOON - HOUR)}${end === null ? '' : `, end_time: ${iso(end)}`}}\n`;
const siteOf = (keys: string) => `version: 1
accounts:
  - name: Other
    lots:
      - {name: L, zones: [{name: Z, products: [{device_id: b4c138000001, name: P, type: gate}]}]}
    key_logs:
${keys}`;

let world: ApplyWorld;
let close: (() => Promise<void>) | undefined;
let checkNow: () => void;
/** Whether it is this process that does it. */
let isFirst = true;
const notified: unknown[] = [];

beforeEach(async () => {
  world = await createApplyWorld();
  notified.length = 0;
  isFirst = true;
});
afterEach(async () => {
  await close?.();
  close = undefined;
  await world.close();
});

function start(): void {
  const { store, clock } = world;
  const configChanged = (lot: unknown) => void notified.push(lot);
  const isDue = () => isFirst;
  ({ close, checkNow } = startTokenExpiry({
    store,
    clock,
    logger: silentLogger,
    periodMs: HOUR,
    configChanged,
    isDue,
  }));
}

async function statuses(): Promise<string[]> {
  const { key_logs, operation_tokens } = await world.rows();
  return key_logs.map(({ name, status, operation_token_id }) => {
    const token = operation_tokens.find(({ id }) => id === operation_token_id);
    return `${name} ${status} ${token?.status}`;
  });
}

const reach = (wanted: string[]) => expect.poll(() => world.clock.advance(0).then(statuses)).toEqual(wanted);

describe('the check of operation tokens', () => {
  it('ends those whose time is over, with their key logs, every hour', async () => {
    const keys = [key('soon', NOON + HOUR), key('later', NOON + 3 * HOUR), key('open', null)];
    await world.apply(siteOf(keys.join('')));
    start();
    await world.clock.advance(HOUR - 1);
    expect(await statuses()).toEqual(['soon active active', 'later active active', 'open active active']);
    await world.clock.advance(1);
    await reach(['soon expired expired', 'later active active', 'open active active']);
    await expect.poll(() => notified).toEqual([{ lot_id: 1 }]);
    // The next check is set when one is over, and the database may take longer over it than the clock over two hours.
    const anHourLater = () => world.clock.advance(HOUR).then(statuses);
    await expect.poll(anHourLater).toEqual(['soon expired expired', 'later expired expired', 'open active active']);
    await expect.poll(() => notified).toEqual([{ lot_id: 1 }, { lot_id: 1 }]);
  });

  it('is made at the start too, so that a stop is made up for', async () => {
    await world.apply(siteOf(key('soon', NOON + 1)));
    world.clock.jumpWall(5);
    start();
    await reach(['soon expired expired']);
  });

  it('is made as soon as this process is the one that does it: the one before it may have died just before its own', async () => {
    await world.apply(siteOf(key('soon', NOON + 1)));
    isFirst = false;
    start();
    await world.clock.advance(HOUR - 1);
    expect(await statuses()).toEqual(['soon active active']);
    isFirst = true;
    checkNow();
    await reach(['soon expired expired']);
  });

  it('leaves alone what a person blocked', async () => {
    await world.apply(siteOf(key('soon', NOON + 1) + key('blocked', NOON + 1)));
    await world.store.change(async (tx) => {
      await tx.updateTable('key_logs').set({ status: 'blocked' }).where('name', '=', 'blocked').execute();
      await tx.updateTable('operation_tokens').set({ status: 'blocked' }).where('id', '=', 2).execute();
    });
    world.clock.jumpWall(5);
    start();
    await reach(['soon expired expired', 'blocked blocked blocked']);
  });

  it('goes on after a database that was out of order', async () => {
    await world.apply(siteOf(key('soon', NOON + 1)));
    world.clock.jumpWall(5);
    const { change } = world.store;
    let failures = 0;
    world.store.change = async () => {
      failures += 1;
      throw new Error('disk full');
    };
    start();
    await expect.poll(() => failures).toBe(1);
    world.store.change = change;
    await world.clock.advance(HOUR);
    await reach(['soon expired expired']);
  });

  it('counts many thousands', async () => {
    await world.apply(siteOf(Array.from({ length: 1_300 }, (_, index) => key(`k${index}`, NOON + 1)).join('')));
    world.clock.jumpWall(5);
    start();
    await expect.poll(async () => (await statuses()).every((each) => each.endsWith('expired expired'))).toBe(true);
  });
});
