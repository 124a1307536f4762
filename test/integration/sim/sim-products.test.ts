import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Advertisement } from '../../../agent/product/radio.js';
import { type GatewayUuid, PRODUCT_TYPES, type ProductDeviceId } from '../../../shared/ids.js';
import { decodeAdvertisement, isAdvertisementGenuine } from '../../../shared/product-protocol/advertisement-codec.js';
import type { ProtocolCommand } from '../../../shared/product-protocol/commands.js';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import type { CarParkProduct } from '../../../scripts/sim/car-park.js';
import { createEmulatedSim, type EmulatedSim } from '../../../scripts/sim/create-emulated-sim.js';
import type { SimProduct } from '../../../scripts/sim/products/sim-product.js';
import { createVirtualRadio, type VirtualRadio } from '../../../scripts/sim/radio/virtual-radio.js';
import { FakeClock } from '../../world/fake-clock.js';
import { crypto } from '../../unit/product-protocol/protocol-fixture.js';
import { startTestGateway, type TestGateway } from './sim-gateway.js';
import { SECOND_MS } from '../../../shared/durations.js';

const NORTH = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01' as GatewayUuid;
const SOUTH = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c02' as GatewayUuid;
const BARRIER: CarParkProduct = {
  device_id: 'a4c138000001' as ProductDeviceId,
  name: 'Entry barrier',
  type: 'barrier',
  power_type: 'battery',
  master_key: Uint8Array.from({ length: 32 }, (_, index) => index),
  autoclose: { on: false, seconds: 10 },
};
const MOVEMENT_MS = 1_500;

/** Products run by a clock that the test moves; the radio between them and the gateways by the real one. */
describe('a simulated product', () => {
  let clock: FakeClock;
  let air: VirtualRadio;
  let sim: EmulatedSim;
  let barrier: SimProduct;
  const gateways: TestGateway[] = [];

  async function start(products: CarParkProduct[]): Promise<void> {
    clock = new FakeClock();
    air = createVirtualRadio({ random: Math.random });
    sim = await createEmulatedSim({
      carPark: { gateways: [NORTH, SOUTH], products, cameras: [], parkingGateways: [], displays: [] },
      agents: { byGateway: new Map() },
      radio: air,
      clock,
      movementMs: MOVEMENT_MS,
    });
    barrier = sim.products.get(BARRIER.device_id)!;
  }

  async function gatewayOf(name: GatewayUuid): Promise<TestGateway> {
    const open = () => air.openTransport({ role: 'central', name });
    const gateway = await startTestGateway({ kind: 'transport', open });
    gateways.push(gateway);
    return gateway;
  }

  const until = (state: string, product = barrier) =>
    expect.poll(() => product.view().state, { interval: 5 }).toBe(state);

  /** A command that moves the product: the movement takes its time as soon as it has begun. */
  async function move(gateway: TestGateway, command: ProtocolCommand, eventId: string) {
    const outcome = gateway.run(BARRIER, command, eventId);
    await Promise.race([until('moving'), outcome]);
    await clock.advance(MOVEMENT_MS);
    return await outcome;
  }

  beforeEach(() => start([BARRIER]));

  afterEach(async () => {
    for (const gateway of gateways.splice(0)) await gateway.radio.close();
    await sim.close();
    air.close();
  });

  it('starts closed, its clock right, never moved', () => {
    expect(barrier.view()).toEqual({
      device_id: BARRIER.device_id,
      state: 'closed',
      permanent_position: 'disabled',
      car_on_top: false,
      jammed: false,
      sensor_dirty: false,
      rtc_valid: true,
      battery: 87,
      in_range: true,
      rssi: -55,
      moves: 0,
    });
  });

  it('opens once for one command, however often it is told', async () => {
    const gateway = await gatewayOf(NORTH);
    const first = await move(gateway, { name: 'open' }, '00000001');
    expect(first).toMatchObject({ kind: 'answered', block: { result: { kind: 'ok' }, state: 'opened' } });
    expect(barrier.view()).toMatchObject({ state: 'opened', moves: 1 });

    const again = await (await gatewayOf(SOUTH)).run(BARRIER, { name: 'open' }, '00000001');
    expect(again).toMatchObject({ kind: 'answered', block: { result: { kind: 'ok' }, state: 'opened' } });
    expect(barrier.view().moves).toBe(1);

    await move(gateway, { name: 'close' }, '00000002');
    const late = await gateway.run(BARRIER, { name: 'open' }, '00000001');
    expect(late).toMatchObject({ kind: 'answered', block: { result: { kind: 'ok' }, state: 'closed' } });
    expect(barrier.view()).toMatchObject({ state: 'closed', moves: 2 });
  });

  it('never closes onto a car, but opens with one', async () => {
    const gateway = await gatewayOf(NORTH);
    barrier.change({ car_on_top: true });
    const opened = await move(gateway, { name: 'open' }, '00000001');
    expect(opened).toMatchObject({ block: { result: { kind: 'ok' }, carOnTop: true } });

    for (const [index, name] of (['close', 'force_close', 'stay_close'] as const).entries()) {
      const refused = await gateway.run(BARRIER, { name }, `0000001${index}`);
      expect(refused).toMatchObject({
        kind: 'answered',
        block: { result: { kind: 'error', type: 6 }, state: 'opened' },
      });
    }
    expect(barrier.view()).toMatchObject({ state: 'opened', moves: 1 });

    barrier.change({ car_on_top: false });
    await move(gateway, { name: 'close' }, '00000020');
    expect(barrier.view()).toMatchObject({ state: 'closed', moves: 2 });
  });

  it('closes with a dirty sensor only by force', async () => {
    const gateway = await gatewayOf(NORTH);
    await move(gateway, { name: 'open' }, '00000001');
    barrier.change({ sensor_dirty: true });
    const refused = await gateway.run(BARRIER, { name: 'close' }, '00000002');
    expect(refused).toMatchObject({ block: { result: { kind: 'error', type: 7 } } });
    await move(gateway, { name: 'force_close' }, '00000003');
    expect(barrier.view()).toMatchObject({ state: 'closed', moves: 2 });
  });

  it('does not move while it is jammed, and does afterwards', async () => {
    const gateway = await gatewayOf(NORTH);
    barrier.change({ jammed: true });
    const jammed = await move(gateway, { name: 'open' }, '00000001');
    expect(jammed).toMatchObject({ block: { result: { kind: 'error', type: 5 }, state: 'error' } });
    expect(barrier.view()).toMatchObject({ jammed: true, moves: 0 });

    barrier.change({ jammed: false });
    await move(gateway, { name: 'open' }, '00000002');
    expect(barrier.view()).toMatchObject({ jammed: false, state: 'opened', moves: 1 });
  });

  it('obeys nobody while it does not know the time, until a gateway tells it', async () => {
    const gateway = await gatewayOf(NORTH);
    barrier.change({ rtc_valid: false });
    const refused = await gateway.run(BARRIER, { name: 'open' }, '00000001');
    expect(refused).toMatchObject({ block: { result: { kind: 'error', type: 9 } } });
    expect(barrier.view()).toMatchObject({ rtc_valid: false, moves: 0 });

    await gateway.run(BARRIER, { name: 'set_time', timeS: Math.floor(clock.now() / 1000) + 5 }, '00000001');
    expect(barrier.view().rtc_valid).toBe(true);
    await move(gateway, { name: 'open' }, '00000001');
    expect(barrier.view()).toMatchObject({ state: 'opened', moves: 1 });
  });

  it('stays as it was told to stay', async () => {
    const gateway = await gatewayOf(NORTH);
    await move(gateway, { name: 'stay_open' }, '00000001');
    expect(barrier.view()).toMatchObject({ state: 'opened', permanent_position: 'stay_open' });
    await gateway.run(BARRIER, { name: 'clear_stay_open' }, '00000002');
    expect(barrier.view()).toMatchObject({ state: 'opened', permanent_position: 'disabled', moves: 1 });
  });

  it('moves, then answers as late as it is told to', async () => {
    const gateway = await gatewayOf(NORTH);
    barrier.change({ answer_delay_ms: 20 * SECOND_MS });
    let outcome: unknown;
    const command = gateway.run(BARRIER, { name: 'open' }, '00000001').then((notified) => {
      outcome = notified;
    });
    await until('moving');
    await clock.advance(MOVEMENT_MS);
    expect(barrier.view()).toMatchObject({ state: 'opened', moves: 1 });
    await clock.advance(19 * SECOND_MS);
    expect(outcome).toBeUndefined();
    expect(air.links()).toHaveLength(1);
    await clock.advance(SECOND_MS);
    await command;
    expect(outcome).toMatchObject({ kind: 'answered', block: { result: { kind: 'ok' }, state: 'opened' } });
  });

  it('cannot be reached out of range, by all or by one gateway', async () => {
    barrier.change({ in_range: false, rssi: -90 });
    expect(barrier.view()).toMatchObject({ in_range: false, rssi: -90 });
    const north = await gatewayOf(NORTH);
    await expect(north.radio.connect(BARRIER.device_id, { timeoutMs: 500 })).rejects.toMatchObject({ type: 4 });

    barrier.changeLink({ in_range: true }, SOUTH);
    expect(barrier.view(NORTH)).toMatchObject({ in_range: false, rssi: -90 });
    expect(barrier.view(SOUTH)).toMatchObject({ in_range: true, rssi: -90 });
    await move(await gatewayOf(SOUTH), { name: 'open' }, '00000001');
    await expect(north.radio.connect(BARRIER.device_id, { timeoutMs: 500 })).rejects.toMatchObject({ type: 4 });

    barrier.change({ in_range: true });
    expect(barrier.view(NORTH).in_range).toBe(true);
    await move(north, { name: 'close' }, '00000002');
    expect(barrier.view().moves).toBe(2);
  });

  it('is reached through a lossy air, but not through one that loses everything', async () => {
    const gateway = await gatewayOf(NORTH);
    barrier.change({ loss: 0.3 });
    await move(gateway, { name: 'open' }, '00000001');
    expect(barrier.view()).toMatchObject({ state: 'opened', moves: 1 });
    barrier.change({ loss: 1 });
    await expect(gateway.radio.connect(BARRIER.device_id, { timeoutMs: 500 })).rejects.toThrow();
  });

  it('drops a link on which nobody asks for anything, and is there for the next', async () => {
    const gateway = await gatewayOf(NORTH);
    const idle = await gateway.radio.connect(BARRIER.device_id, { timeoutMs: 10_000 });
    await clock.advance(4_900);
    expect(air.links()).toHaveLength(1);
    await clock.advance(100);
    await idle.closed;
    await move(gateway, { name: 'open' }, '00000001');
    expect(barrier.view().moves).toBe(1);
  });

  it('advertises what it is, authentic, under growing numbers', async () => {
    const heard: Advertisement[] = [];
    const gateway = await gatewayOf(NORTH);
    gateway.radio.onAdvertisement((advertisement) => heard.push(advertisement));
    const last = () => decodeAdvertisement(heard.at(-1)?.manufacturerData ?? new Uint8Array());
    await expect.poll(() => last()).toMatchObject({ deviceId: BARRIER.device_id, type: 'barrier', state: 'closed' });
    const before = last()!.advSeq;

    await move(gateway, { name: 'open' }, '00000001');
    await expect.poll(() => last()).toMatchObject({ state: 'opened', battery: 87 });
    barrier.change({ battery: 4, car_on_top: true });
    await expect.poll(() => last()).toMatchObject({ state: 'opened', battery: 4, carOnTop: true });
    expect(last()!.advSeq).toBeGreaterThan(before);

    const { adv } = deriveProductKeys(crypto, {
      masterKey: BARRIER.master_key!,
      deviceId: BARRIER.device_id,
      pairingEpoch: 1,
    });
    for (const { manufacturerData } of heard) {
      expect(isAdvertisementGenuine(crypto, { advertisementKey: adv, bytes: manufacturerData })).toBe(true);
    }
  });

  describe('with automatic closing', () => {
    beforeEach(async () => {
      await sim.close();
      await start([{ ...BARRIER, autoclose: { on: true, seconds: 10 } }]);
    });

    it('does so after its time, counted from the end of the opening', async () => {
      await move(await gatewayOf(NORTH), { name: 'open' }, '00000001');
      await clock.advance(10 * SECOND_MS - 1);
      expect(barrier.view()).toMatchObject({ state: 'opened', moves: 1 });
      await clock.advance(1);
      expect(barrier.view()).toMatchObject({ state: 'moving', moves: 2 });
      await clock.advance(MOVEMENT_MS);
      expect(barrier.view()).toMatchObject({ state: 'closed', moves: 2 });
    });

    it('never does so onto a car, and does when it has left', async () => {
      await move(await gatewayOf(NORTH), { name: 'open' }, '00000001');
      barrier.change({ car_on_top: true });
      await clock.advance(3_600 * SECOND_MS);
      expect(barrier.view()).toMatchObject({ state: 'opened', moves: 1 });
      barrier.change({ car_on_top: false });
      await clock.advance(10 * SECOND_MS + MOVEMENT_MS);
      expect(barrier.view()).toMatchObject({ state: 'closed', moves: 2 });
    });

    it('goes back when a car appears while it closes, as long as it has closed', async () => {
      await move(await gatewayOf(NORTH), { name: 'open' }, '00000001');
      await clock.advance(10 * SECOND_MS + 400);
      expect(barrier.view()).toMatchObject({ state: 'moving', moves: 2 });
      barrier.change({ car_on_top: true });
      await clock.advance(399);
      expect(barrier.view()).toMatchObject({ state: 'moving', moves: 3 });
      await clock.advance(1);
      expect(barrier.view()).toMatchObject({ state: 'opened', moves: 3 });
    });
  });

  it('is of any type', async () => {
    await sim.close();
    const products = PRODUCT_TYPES.map((type, index) => ({
      ...BARRIER,
      type,
      power_type: 'mains',
      device_id: `a4c13800000${index + 1}` as ProductDeviceId,
    }));
    await start(products);
    const gateway = await gatewayOf(NORTH);
    const types = new Map<string, string | undefined>();
    gateway.radio.onAdvertisement(({ address, manufacturerData }) => {
      types.set(address, decodeAdvertisement(manufacturerData)?.type);
    });
    for (const product of products) {
      const simulated = sim.products.get(product.device_id)!;
      expect(simulated.view()).toMatchObject({ state: 'closed', battery: null });
      const opening = gateway.run(product, { name: 'open' }, '00000001');
      await until('moving', simulated);
      await clock.advance(MOVEMENT_MS);
      expect(await opening).toMatchObject({ block: { result: { kind: 'ok' }, state: 'opened', battery: null } });
    }
    await expect.poll(() => products.map(({ device_id }) => types.get(device_id))).toEqual([...PRODUCT_TYPES]);
    expect(products.map(({ device_id }) => sim.products.get(device_id)!.view().moves)).toEqual([1, 1, 1, 1, 1]);
  });
});
