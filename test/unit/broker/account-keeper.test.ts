import { describe, expect, it } from 'vitest';
import { createAccountKeeper } from '../../../cloud/equipment/broker/account-keeper.js';
import type { BrokerAccounts, GatewayCredential } from '../../../cloud/equipment/broker/broker-accounts.js';
import { type GatewayUuid, gatewayUuidSchema } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';

const A = gatewayUuidSchema.parse('0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01');

function createWorld() {
  const clock = new FakeClock();
  const known = new Map<GatewayUuid, GatewayCredential>();
  const done: string[] = [];
  const world = { clock, known, done, isDown: false, hold: Promise.resolve() };
  const work = async (what: string) => {
    await world.hold;
    if (world.isDown) throw new Error('the broker is down');
    done.push(what);
  };
  const accounts: BrokerAccounts = {
    passwordFor: ({ password }) => password,
    grant: ({ password }) => work(`grant ${password}`),
    revoke: () => work('revoke'),
    kick: () => work('kick'),
    reconcile: () => work('reconcile'),
    close: async () => {},
  };
  const credentials = {
    find: async (uuid: GatewayUuid) => known.get(uuid) ?? null,
    list: async () => [...known.values()],
  };
  return Object.assign(world, { keeper: createAccountKeeper({ accounts, credentials, clock, logger: silentLogger }) });
}

describe('the keeper of accounts', () => {
  it('does what the database says at the end, whatever was asked before', async () => {
    const world = createWorld();
    let release: () => void = () => {};
    world.hold = new Promise((resolve) => (release = resolve));
    world.known.set(A, { uuid: A, password: 'first' });
    const settled = [world.keeper.settle(A)];
    world.known.set(A, { uuid: A, password: 'second' });
    settled.push(world.keeper.settle(A));
    world.known.delete(A);
    settled.push(world.keeper.settle(A));
    release();
    await Promise.all(settled);
    expect(world.done.at(-1)).toBe('revoke');
    await world.keeper.close();
  });

  it('looks once more when another process claimed the gateway anew meanwhile', async () => {
    const world = createWorld();
    world.known.set(A, { uuid: A, password: 'first' });
    let release: () => void = () => {};
    world.hold = new Promise((resolve) => (release = resolve));
    const settled = world.keeper.settle(A);
    await world.clock.advance(0);
    world.known.set(A, { uuid: A, password: 'second' });
    release();
    await settled;
    expect(world.done).toEqual(['grant first', 'grant second']);
    await world.keeper.close();
  });

  it('says that the broker could not be asked, and looks through all accounts until it can be', async () => {
    const world = createWorld();
    world.isDown = true;
    world.known.set(A, { uuid: A, password: 'first' });
    await expect(world.keeper.settle(A)).rejects.toThrow('the broker is down');
    await world.clock.advance(120_000);
    expect(world.done).toEqual([]);
    world.isDown = false;
    await world.clock.advance(31_000);
    expect(world.done).toEqual(['reconcile']);
    await world.clock.advance(600_000);
    expect(world.done).toEqual(['reconcile']);
    await world.keeper.close();
  });

  it('looks through them once more when that was asked for meanwhile, and not after its end', async () => {
    const world = createWorld();
    world.keeper.reconcile();
    world.keeper.reconcile();
    world.keeper.reconcile();
    await world.clock.advance(1_000);
    expect(world.done).toEqual(['reconcile', 'reconcile']);
    await world.keeper.close();
    world.keeper.reconcile();
    await world.clock.advance(600_000);
    expect(world.done).toHaveLength(2);
  });
});
