/** One product of the car park: the pure product machine in a body of Bluetooth, motor, sensors and clock. */
import { randomBytes } from 'node:crypto';
import type { Clock, Timer } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import {
  NO_REASSEMBLY,
  type Reassembly,
  receiveFragment,
  splitMessage,
} from '../../../shared/product-protocol/fragment-codec.js';
import { PRODUCT_NONCE_LENGTH } from '../../../shared/product-protocol/message-codec.js';
import { advertiseProduct } from '../../../shared/product-protocol/product-advertisement.js';
import {
  nextProduct,
  nextProductDeadlineMs,
  type ProductInput,
} from '../../../shared/product-protocol/product-machine.js';
import type { ProductEffect } from '../../../shared/product-protocol/product-movement.js';
import {
  conditionOf,
  newProductMemory,
  pairMemory,
  powerUpProduct,
  type ProductSensors,
  type ProductState,
} from '../../../shared/product-protocol/product-state.js';
import type { ProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import type { CarParkProduct } from '../car-park.js';
import type { LinkChange, ProductChange } from '../control/control-schemas.js';
import { startPeripheral } from '../radio/bleno-peripheral.js';
import type { PathSettings, VirtualRadio } from '../radio/virtual-radio.js';
import { createAnswerSender } from './answer-sender.js';
import { createMotor } from './motor.js';
import type { SimProduct } from './sim-product.js';

/** A site file's master key is that of the product's first pairing. */
const FIRST_EPOCH = 1;
const BATTERY_START_PERCENT = 87;

export interface ProductDeps {
  crypto: ProtocolCrypto;
  radio: VirtualRadio;
  /** Whom the product's range and signal may be set towards. */
  gateways: readonly GatewayUuid[];
  clock: Clock;
  logger: Logger;
  movementMs: number;
}

type Stimulus = ProductInput extends infer Input ? (Input extends ProductInput ? Omit<Input, 'nowMs'> : never) : never;

/** Puts a product on the air: closed, its clock right. Resolves when it advertises. */
export async function startProduct(config: CarParkProduct, deps: ProductDeps): Promise<SimProduct> {
  const { clock, crypto, logger, radio } = deps;
  const { device_id } = config;
  let state = powerUp(config, deps);
  let reassembly: Reassembly = NO_REASSEMBLY;
  let deadline: Timer | null = null;
  let answerDelayMs = 0;
  let manufacturerData = nextAdvertisement();

  const motor = createMotor({
    clock,
    movementMs: deps.movementMs,
    onEnd: (end) => step({ type: end === 'arrived' ? 'movementDone' : 'movementJammed' }),
  });
  const sender = createAnswerSender(clock, (message) => {
    for (const fragment of splitMessage(message, peripheral.mtu)) {
      peripheral.notify(fragment).catch((error) => logger.debug({ device_id, err: error }, 'nobody hears the answer'));
    }
  });

  function nextAdvertisement(): Uint8Array {
    const next = advertiseProduct(crypto, state);
    state = next.state;
    return next.manufacturerData;
  }

  function step(input: Stimulus): void {
    const { changeCounter } = state.memory;
    const next = nextProduct(crypto, state, { ...input, nowMs: clock.monotonic() });
    state = next.state;
    for (const effect of next.effects) perform(effect);
    if (state.memory.changeCounter !== changeCounter) {
      manufacturerData = nextAdvertisement();
      peripheral.setAdvertisement(manufacturerData);
      logger.info({ device_id, state: conditionOf(state).state, moves: motor.moves }, config.name);
    }
    watchDeadline();
  }

  function perform(effect: ProductEffect): void {
    switch (effect.type) {
      case 'send':
        return sender.send(effect.message, answerDelayMs);
      case 'startMovement':
        return motor.start();
      case 'stopAndReverse':
        return motor.reverse();
      case 'dropLink':
        // The machine has answered; an answer that is held back is still to go.
        return sender.whenSent(() => peripheral.disconnect());
    }
  }

  function watchDeadline(): void {
    deadline?.cancel();
    const dueMs = nextProductDeadlineMs(state);
    deadline = dueMs === null ? null : clock.setTimer(dueMs - clock.monotonic(), () => step({ type: 'tick' }));
  }

  function endLink(): void {
    reassembly = NO_REASSEMBLY;
    sender.clear();
    step({ type: 'linkClosed' });
  }

  const peripheral = await startPeripheral({
    transport: radio.openTransport({ role: 'peripheral', name: device_id }),
    manufacturerData,
    info: () => manufacturerData,
    onConnect: () => step({ type: 'linkOpened' }),
    onDisconnect: endLink,
    onWrite(fragment) {
      const received = receiveFragment(reassembly, fragment, clock.monotonic());
      reassembly = received.reassembly;
      const { message } = received;
      if (message !== null) step({ type: 'message', bytes: message, nonce: randomBytes(PRODUCT_NONCE_LENGTH) });
    },
  });
  watchDeadline();

  return {
    view: (gateway) => ({
      ...viewOf(state),
      jammed: motor.stuck,
      moves: motor.moves,
      ...rangeOf(config, radio, gateway),
    }),
    change(change) {
      motor.stuck = change.jammed ?? motor.stuck;
      answerDelayMs = change.answer_delay_ms ?? answerDelayMs;
      step({ type: 'sensorsChanged', sensors: sensorsOf(change) });
      if (change.rtc_valid !== undefined) {
        step({ type: 'rtcChanged', timeS: change.rtc_valid ? wallSeconds(clock) : null });
      }
      const settings = pathOf(change);
      radio.setProduct(device_id, settings);
      // What was said of one gateway before does not outlast what is said of all.
      for (const central of deps.gateways) radio.setPath({ product: device_id, central }, settings);
    },
    changeLink: (change, gateway) => radio.setPath({ product: device_id, central: gateway }, pathOf(change)),
    async close() {
      deadline?.cancel();
      motor.stop();
      sender.clear();
      peripheral.close();
    },
  };
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
    ...pairMemory(unpaired, { masterKey: config.master_key, epoch: FIRST_EPOCH }),
    clockFloorS: timeS,
    // A product's memory keeps the number; here the time stands in, so that it grows from one start to the next.
    advSeqReserved: timeS,
  };
  return powerUpProduct(crypto, {
    memory,
    rtc: { timeS, setMs: clock.monotonic() },
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

/** @param gateway undefined: one nothing was said of */
function rangeOf(config: CarParkProduct, radio: VirtualRadio, gateway: GatewayUuid | undefined) {
  const { inRange, rssi } = radio.path({ product: config.device_id, central: gateway ?? '' });
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
