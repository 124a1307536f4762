/** One product of the car park: the pure product machine with Bluetooth, motor, sensors and clock. */
import type { Clock } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import {
  NO_REASSEMBLY,
  type Reassembly,
  receiveFragment,
  splitMessage,
} from '../../../shared/product-protocol/fragment-codec.js';
import { PRODUCT_NONCE_LENGTH } from '../../../shared/product-protocol/message-codec.js';
import {
  conditionOf,
  newProductMemory,
  pairMemory,
  powerUpProduct,
  type ProductSensors,
  type ProductState,
} from './firmware/product-state.js';
import type { ProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import type { CarParkProduct } from '../car-park.js';
import type { LinkChange, ProductChange } from '../control/control-schemas.js';
import type { PathSettings } from '../radio/paths.js';
import type { ProductAir } from '../radio/product-air.js';
import { type AnswerSender, createAnswerSender } from './answer-sender.js';
import { createMotor } from './motor.js';
import { createPairingSide, type PairingSide } from './pairing-side.js';
import { labelSecretOf } from './product-label.js';
import { type RunningMachine, runProductMachine } from './product-runner.js';
import type { SimProduct } from './sim-product.js';

/** A site file's master key belongs to the product's first pairing. */
const FIRST_PAIRING_EPOCH = 1;
const BATTERY_START_PERCENT = 87;

export interface ProductDeps {
  crypto: ProtocolCrypto;
  air: ProductAir;
  /** The gateways towards which range and signal can be set. */
  gateways: readonly GatewayUuid[];
  clock: Clock;
  randomBytes: (length: number) => Uint8Array;
  logger: Logger;
  movementMs: number;
}

/** Puts a product on the air, closed and with the right time. Resolves when it advertises. */
export async function startProduct(config: CarParkProduct, deps: ProductDeps): Promise<SimProduct> {
  const { air, clock, crypto, logger, randomBytes } = deps;
  const { device_id } = config;
  let answerDelayMs = 0;

  const machine = runProductMachine(powerUp(config, deps), {
    clock,
    crypto,
    perform: {
      send: ({ message }) => sender.send(message, answerDelayMs),
      startMovement: () => motor.start(),
      stopAndReverse: () => motor.reverse(),
      // The machine has answered, but a delayed answer may not have left yet.
      dropLink: () => sender.whenSent(() => peripheral.disconnect()),
    },
    onChange(manufacturerData) {
      peripheral.setAdvertisement(manufacturerData);
      logger.info({ device_id, state: conditionOf(machine.state).state, moves: motor.moves }, config.name);
    },
  });
  const motor = createMotor({
    clock,
    movementMs: deps.movementMs,
    onEnd: (end) => machine.input({ type: end === 'arrived' ? 'movementDone' : 'movementJammed' }),
  });
  const sendInParts = (message: Uint8Array, notify: (fragment: Uint8Array) => Promise<void>) => {
    for (const fragment of splitMessage(message, peripheral.mtu))
      notify(fragment).catch((error) => logger.debug({ device_id, err: error }, 'nobody hears the product'));
  };
  const sender = createAnswerSender(clock, (message) => sendInParts(message, peripheral.notify));
  const pairing = createPairingSide({
    machine: () => machine,
    labelSecret: labelSecretOf(device_id),
    crypto,
    clock,
    randomBytes,
    send: (message) => sendInParts(message, peripheral.notifyPair),
  });
  const peripheral = await air.startPeripheral(device_id, {
    manufacturerData: machine.manufacturerData,
    info: () => machine.manufacturerData,
    ...connectionOf(machine, { sender, pairing, clock, randomBytes }),
  });

  return {
    view: (gateway) => ({
      ...viewOf(machine.state),
      ...rangeOf(config, air, gateway),
      jammed: motor.stuck,
      moves: motor.moves,
    }),
    change(change) {
      motor.stuck = change.jammed ?? motor.stuck;
      answerDelayMs = change.answer_delay_ms ?? answerDelayMs;
      changeSenses(machine, change, clock);
      const settings = pathOf(change);
      air.setProduct(device_id, settings);
      // A change for all gateways replaces earlier changes for one of them.
      for (const central of deps.gateways) air.setPath({ product: device_id, central }, settings);
    },
    changeLink: (change, gateway) => air.setPath({ product: device_id, central: gateway }, pathOf(change)),
    async close() {
      machine.stop();
      motor.stop();
      sender.clear();
      peripheral.close();
    },
  };
}

/** Handles a client's actions over its connection. */
function connectionOf(
  machine: RunningMachine,
  {
    sender,
    pairing,
    clock,
    randomBytes,
  }: { sender: AnswerSender; pairing: PairingSide; clock: Clock; randomBytes: (length: number) => Uint8Array },
) {
  let reassembly: Reassembly = NO_REASSEMBLY;
  return {
    onConnect: () => machine.input({ type: 'linkOpened' }),
    onDisconnect() {
      reassembly = NO_REASSEMBLY;
      sender.clear();
      pairing.linkClosed();
      machine.input({ type: 'linkClosed' });
    },
    onPairSubscribe: pairing.subscribed,
    onPairWrite: pairing.write,
    onWrite(fragment: Uint8Array) {
      const received = receiveFragment(reassembly, fragment, clock.monotonic());
      reassembly = received.reassembly;
      const { message } = received;
      if (message !== null)
        machine.input({ type: 'message', bytes: message, nonce: randomBytes(PRODUCT_NONCE_LENGTH) });
    },
  };
}

/** Changes what the product senses, and its clock. */
function changeSenses(machine: RunningMachine, change: ProductChange, clock: Clock): void {
  machine.input({ type: 'sensorsChanged', sensors: sensorsOf(change) });
  if (change.rtc_valid !== undefined) {
    machine.input({ type: 'rtcChanged', timeS: change.rtc_valid ? wallSeconds(clock) : null });
  }
  if (change.clock_off_s !== undefined) {
    machine.input({ type: 'rtcChanged', timeS: wallSeconds(clock) + change.clock_off_s });
  }
}

function powerUp(config: CarParkProduct, { clock, crypto }: ProductDeps): ProductState {
  const timeS = wallSeconds(clock);
  const unpaired = newProductMemory({
    deviceId: config.device_id,
    type: config.type,
    position: 'closed',
    autoClose: config.autoclose,
  });
  const memory = {
    ...(config.master_key === null
      ? unpaired
      : pairMemory(unpaired, { masterKey: config.master_key, pairingEpoch: FIRST_PAIRING_EPOCH })),
    clockFloorS: timeS,
    // A real product's memory keeps the number; here the time replaces it, so that it grows from one start to the next.
    advSeqReserved: timeS,
  };
  const nowMs = clock.monotonic();
  return powerUpProduct(crypto, {
    memory,
    nowMs,
    rtc: { timeS, setMs: nowMs },
    sensors: {
      carOnTop: false,
      dirty: false,
      jammed: false,
      pinBroken: false,
      battery: config.power_type === 'mains' ? null : BATTERY_START_PERCENT,
    },
  });
}

function wallSeconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000);
}

function viewOf(state: ProductState) {
  const { state: position, permanentPosition } = conditionOf(state);
  return {
    device_id: state.memory.deviceId,
    state: position,
    permanent_position: permanentPosition,
    car_on_top: state.sensors.carOnTop,
    sensor_dirty: state.sensors.dirty,
    rtc_valid: state.rtc !== null,
    battery: state.sensors.battery,
  };
}

/** @param gateway undefined: a gateway for which no change was made */
function rangeOf(config: CarParkProduct, air: ProductAir, gateway: GatewayUuid | undefined) {
  const { inRange, rssi } = air.path({ product: config.device_id, central: gateway ?? '' });
  return { in_range: inRange, rssi };
}

function pathOf({ in_range, rssi, loss }: LinkChange): Partial<PathSettings> {
  return {
    ...(in_range === undefined ? {} : { inRange: in_range }),
    ...(rssi === undefined ? {} : { rssi }),
    ...(loss === undefined ? {} : { loss }),
  };
}

function sensorsOf({ car_on_top, sensor_dirty, jammed, battery }: ProductChange): Partial<ProductSensors> {
  return {
    ...(car_on_top === undefined ? {} : { carOnTop: car_on_top }),
    ...(sensor_dirty === undefined ? {} : { dirty: sensor_dirty }),
    ...(jammed === undefined ? {} : { jammed }),
    ...(battery === undefined ? {} : { battery }),
  };
}
