/** A product on the radio in memory: the pure product machine, with a motor that takes its time by the test's clock. */
import type { Timer } from '../../../shared/clock.js';
import type { ProductDeviceId } from '../../../shared/ids.js';
import { NO_REASSEMBLY, receiveFragment, splitMessage } from '../../../shared/product-protocol/fragment-codec.js';
import { advertiseProduct } from '../../../scripts/sim/products/firmware/product-advertisement.js';
import { nextProduct, type ProductInput } from '../../../scripts/sim/products/firmware/product-machine.js';
import {
  newProductMemory,
  pairMemory,
  powerUpProduct,
  type ProductState,
} from '../../../scripts/sim/products/firmware/product-state.js';
import type { FakeProduct, FakeRadio } from '../../devices/fake-radio.js';
import type { FakeClock } from '../../world/fake-clock.js';
import { SENSORS_FREE } from '../product-protocol/exchange-world.js';
import { crypto, MASTER_KEY } from '../product-protocol/protocol-fixture.js';

export const MOVEMENT_MS = 1_500;
const MTU = 247;

type Stimulus = ProductInput extends infer Input ? (Input extends ProductInput ? Omit<Input, 'nowMs'> : never) : never;

export interface MachineProduct {
  readonly radio: FakeProduct;
  readonly state: ProductState;
  /** First bytes of the whole messages that came, as hex: 01 HELLO, 02 REQUEST. */
  readonly received: string[];
  moves: number;
  movementMs: number;
  /** Says nothing more. */
  isSilent: boolean;
  give(input: Stimulus): void;
  /** Sends bytes that the machine never would. */
  sendRaw(message: Uint8Array): void;
}

/** Closed, its clock right. */
export function addMachineProduct(
  fake: FakeRadio,
  clock: FakeClock,
  options: { deviceId: ProductDeviceId; rtcValid?: boolean; clockOffS?: number },
): MachineProduct {
  const { deviceId } = options;
  const autoClose = { on: false, seconds: 10 };
  const fresh = newProductMemory({ deviceId, type: 'barrier', position: 'closed', autoClose });
  let state = powerUpProduct(crypto, {
    memory: pairMemory(fresh, { masterKey: MASTER_KEY, pairingEpoch: 1 }),
    rtc:
      options.rtcValid === false
        ? null
        : { timeS: Math.floor(clock.now() / 1000) + (options.clockOffS ?? 0), setMs: clock.monotonic() },
    sensors: SENSORS_FREE,
    nowMs: clock.monotonic(),
  });
  let nonces = 0;
  let reassembly = NO_REASSEMBLY;
  let motor: Timer | undefined;
  let startedMs = 0;

  const advertise = () => {
    const next = advertiseProduct(crypto, state);
    state = next.state;
    return next.manufacturerData;
  };
  const send = (message: Uint8Array) => {
    if (product.isSilent || !product.radio.connected) return;
    for (const fragment of splitMessage(message, MTU)) void product.radio.notify(fragment);
  };
  const product: MachineProduct = {
    radio: fake.addProduct({
      address: deviceId,
      manufacturerData: advertise(),
      mtu: MTU,
      onWrite(fragment) {
        const received = receiveFragment(reassembly, fragment, clock.monotonic());
        reassembly = received.reassembly;
        if (received.message === null) return;
        product.received.push(Buffer.from(received.message.subarray(0, 1)).toString('hex'));
        nonces += 1;
        const nonce = Uint8Array.from({ length: 16 }, (_, index) => (nonces >> (8 * index)) & 0xff);
        // The fake radio tells no product of its links: a message is the first sign of one.
        if (state.link === null) product.give({ type: 'linkOpened' });
        product.give({ type: 'message', bytes: received.message, nonce });
      },
    }),
    get state() {
      return state;
    },
    received: [],
    moves: 0,
    movementMs: MOVEMENT_MS,
    isSilent: false,
    sendRaw: send,
    give(input) {
      const { changeCounter } = state.memory;
      const next = nextProduct(crypto, state, { ...input, nowMs: clock.monotonic() });
      state = next.state;
      for (const effect of next.effects) {
        if (effect.type === 'send') send(effect.message);
        if (effect.type === 'startMovement' || effect.type === 'stopAndReverse') {
          product.moves += 1;
          motor?.cancel();
          // It goes back as far as it has come.
          const durationMs =
            effect.type === 'startMovement'
              ? product.movementMs
              : Math.min(product.movementMs, clock.monotonic() - startedMs);
          startedMs = clock.monotonic();
          motor = clock.setTimer(durationMs, () => product.give({ type: 'movementDone' }));
        }
      }
      if (state.memory.changeCounter !== changeCounter) product.radio.setAdvertisement(advertise());
    },
  };
  return product;
}
