/** Commands over the radio's port to the product's own machine: whose credentials, whose turn, whose clock. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandOutcome, ProductCommand } from '../../../agent/product/product-commander.js';
import { createProductWatch, type ProductWatch } from '../../../agent/product/product-watch.js';
import type { Radio } from '../../../agent/product/radio.js';
import { createRadioCommander } from '../../../agent/product/radio-commander.js';
import type { EventId, ProductDeviceId } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import { encodeBase64url } from '../../../shared/product-protocol/base64url.js';
import { NO_REASSEMBLY, receiveFragment, splitMessage } from '../../../shared/product-protocol/fragment-codec.js';
import { newProductMemory, pairMemory, powerUpProduct } from '../../../shared/product-protocol/product-state.js';
import { mintCredential, NO_EXPIRY_S, type TokenOp } from '../../../shared/product-protocol/token-codec.js';
import { systemClock as clock } from '../../../shared/system-clock.js';
import { createMotor } from '../../sim/products/motor.js';
import { runProductMachine, type RunningMachine } from '../../sim/products/product-runner.js';
import { deferred } from '../../sim/world/deferred.js';
import { createFakeRadio } from '../../sim/radio/fake-radio.js';
import { crypto, KEYS, MASTER_KEY, mint } from '../product-protocol/protocol-fixture.js';
import { SENSORS_FREE } from '../product-protocol/exchange-world.js';

const DEVICE = 'a4c138000001' as ProductDeviceId;
const MTU = 64;
const wallSeconds = () => Math.floor(clock.now() / 1_000);

let machine: RunningMachine;
let watch: ProductWatch;
let radio: Radio;
/** What the radio and the product did, in order. */
let log: string[];
let moves: () => number;
/** Real links take their time to end. */
let linkMayEnd: Promise<void>;
let execute: (command: Partial<ProductCommand>) => Promise<CommandOutcome>;

beforeEach(() => {
  log = [];
  linkMayEnd = Promise.resolve();
  const fake = createFakeRadio({ clock });
  radio = {
    ...fake.radio,
    state: 'on',
    async connect(address, options) {
      const link = await fake.radio.connect(address, options);
      log.push('connected');
      machine.input({ type: 'linkOpened' });
      return {
        ...link,
        async close() {
          await linkMayEnd;
          log.push('closed');
          machine.input({ type: 'linkClosed' });
          await link.close();
        },
      };
    },
  };
  startProduct(fake);
  watch = createProductWatch({ radio, crypto, clock });
  const own = (op: TokenOp) =>
    mintCredential(crypto, KEYS, { op, slot: 1, gen: 0, id: 1, notBeforeS: 0, expiresS: NO_EXPIRY_S });
  const pairing = {
    epoch: 1,
    advertisement_key: encodeBase64url(KEYS.adv),
    token_open: own('open'),
    token_close: own('close'),
    token_status: own('status'),
    expires_ms: clock.now() + 1e9,
  };
  watch.setProducts([{ id: 1, device_id: DEVICE, name: 'Barrier', type: 'barrier', zone_id: null, pairing }]);
  const commander = createRadioCommander({
    radio,
    watch,
    crypto,
    clock,
    randomBytes: (length) => new Uint8Array(randomBytes(length)),
    knownTime: () => clock.now(),
    logger: silentLogger,
  });
  let made = 0;
  execute = (command) =>
    commander.execute({
      device_id: DEVICE,
      event_id: (made += 1).toString(16).padStart(8, '0') as EventId,
      command: { name: 'open' },
      deadline_mono_ms: clock.monotonic() + 30_000,
      ...command,
    });
});

afterEach(async () => {
  machine.stop();
  watch.close();
  await radio.close();
});

function startProduct(fake: ReturnType<typeof createFakeRadio>): void {
  const memory = newProductMemory({
    deviceId: DEVICE,
    type: 'barrier',
    position: 'closed',
    autoClose: { on: false, seconds: 10 },
  });
  const state = powerUpProduct(crypto, {
    memory: pairMemory(memory, { masterKey: MASTER_KEY, epoch: 1 }),
    rtc: { timeS: wallSeconds(), setMs: clock.monotonic() },
    sensors: SENSORS_FREE,
  });
  let reassembly = NO_REASSEMBLY;
  const motor = createMotor({ clock, movementMs: 20, onEnd: () => machine.input({ type: 'movementDone' }) });
  moves = () => motor.moves;
  machine = runProductMachine(state, {
    clock,
    crypto,
    perform: {
      send({ message }) {
        for (const fragment of splitMessage(message, MTU)) void product.notify(fragment).catch(() => {});
      },
      startMovement: () => motor.start(),
      stopAndReverse: () => motor.reverse(),
      dropLink: () => product.disconnect(),
    },
    onChange: (manufacturerData) => product.setAdvertisement(manufacturerData),
  });
  const product = fake.addProduct({
    address: DEVICE,
    manufacturerData: machine.manufacturerData,
    mtu: MTU,
    onWrite(fragment) {
      const received = receiveFragment(reassembly, fragment, clock.monotonic());
      reassembly = received.reassembly;
      if (received.message === null) return;
      machine.input({ type: 'message', bytes: received.message, nonce: new Uint8Array(randomBytes(16)) });
    },
  });
}

/** As the cloud makes them for one command. */
const cloudCredentials = (op: TokenOp, validForS = 30) => {
  const window = { notBeforeS: wallSeconds() - 900, expiresS: wallSeconds() + validForS };
  const wide = { notBeforeS: wallSeconds() - 900, expiresS: wallSeconds() + 900 };
  return { command: mint({ op, ...window }), set_time: mint({ op: 'status', ...wide }) };
};
const setClock = (timeS: number | null) => machine.input({ type: 'rtcChanged', timeS });

describe('a command over the radio', () => {
  it("goes with the gateway's own credentials, or with those made for it", async () => {
    expect(await execute({})).toMatchObject({ outcome: 'succeeded', block: { state: 'opened' } });
    const stay = { command: { name: 'stay_close' } as const, credentials: cloudCredentials('close') };
    expect(await execute(stay)).toMatchObject({
      outcome: 'succeeded',
      block: { state: 'closed', permanentPosition: 'stay_close' },
    });
    expect(moves()).toBe(2);
    const foreign = { ...stay, credentials: cloudCredentials('open') };
    expect(await execute(foreign)).toMatchObject({ outcome: 'failed', type: 1, authenticated: true });
  });

  it('tells its outcome before the link has ended, and the next one waits for that', async () => {
    const ending = deferred<void>();
    linkMayEnd = ending.promise;
    const first = execute({});
    const second = execute({ command: { name: 'status' } });
    await first;
    expect(log).toEqual(['connected']);
    ending.resolve();
    await second;
    expect(log.slice(0, 3)).toEqual(['connected', 'closed', 'connected']);
  });

  it('sends nothing when its deadline passed while it waited', async () => {
    const before = execute({});
    const late = execute({ command: { name: 'close' }, deadline_mono_ms: clock.monotonic() + 1 });
    expect((await before).outcome).toBe('succeeded');
    expect(await late).toMatchObject({ outcome: 'failed', type: 3, authenticated: false });
    expect([machine.state.memory.position, moves()]).toEqual(['opened', 1]);
  });
});

describe("a product's clock", () => {
  it.each([
    ['lost', null],
    ['ten minutes ahead, past the end of the token', 600],
    ['a day behind, before its beginning', -86_400],
  ])('that is %s is set, and the command tried once more', async (_what, offS) => {
    setClock(offS === null ? null : wallSeconds() + offS);
    const command = { command: { name: 'open' } as const, credentials: cloudCredentials('open') };
    const outcome = await execute(command);
    // A clock that runs is moved by a quarter of an hour at most: a day is too much.
    const isOutOfReach = offS !== null && Math.abs(offS) > 900;
    expect(outcome).toMatchObject(
      isOutOfReach ? { outcome: 'failed', type: 1, authenticated: true } : { outcome: 'succeeded' },
    );
    expect(moves()).toBe(isOutOfReach ? 0 : 1);
  });

  it('that is right is left alone when a token is refused', async () => {
    const expired = { command: mint({ op: 'open', expiresS: wallSeconds() - 60 }), set_time: mint({ op: 'status' }) };
    const { rtc } = machine.state;
    expect(await execute({ credentials: expired })).toMatchObject({ outcome: 'failed', type: 1, authenticated: true });
    expect(machine.state.rtc).toBe(rtc);
  });
});
