/** Client and product wired back to back in memory, through fragments, with a clock and a motor that the test moves. */
import type { EventId } from '../../../shared/ids.js';
import {
  CLIENT_IDLE,
  type ClientInput,
  type ClientOutcome,
  type Exchange,
  nextClient,
} from '../../../shared/product-protocol/client-machine.js';
import { type ProtocolCommand, requiredOp } from '../../../shared/product-protocol/commands.js';
import { NO_REASSEMBLY, receiveFragment, splitMessage } from '../../../shared/product-protocol/fragment-codec.js';
import { nextProduct, type ProductInput } from '../../../scripts/sim/products/firmware/product-machine.js';
import {
  newProductMemory,
  pairMemory,
  powerUpProduct,
  type ProductMemory,
  type ProductSensors,
  type ProductState,
} from '../../../scripts/sim/products/firmware/product-state.js';
import type { BlockResult, StatusBlock } from '../../../shared/product-protocol/status-block.js';
import type { CredentialBytes } from '../../../shared/product-protocol/token-codec.js';
import { CLIENT_NONCE, crypto, DEVICE_ID, EVENT_ID, MASTER_KEY, mint, NOW_S } from './protocol-fixture.js';

export interface World {
  product: ProductState;
  nowMs: number;
  mtu: number;
  /** What the motor was told, in order. */
  motor: ('opened' | 'closed' | 'reverse')[];
  /** How often the product dropped a link. */
  drops: number;
  nonces: number;
  /** Every message that crossed, whole, in order. */
  traffic: Uint8Array[];
}

export const SENSORS_FREE: ProductSensors = {
  carOnTop: false,
  dirty: false,
  jammed: false,
  pinBroken: false,
  battery: 87,
};

export function createWorld(
  options: {
    memory?: Partial<ProductMemory>;
    sensors?: Partial<ProductSensors>;
    rtcS?: number | null;
    paired?: boolean;
    mtu?: number;
  } = {},
): World {
  const fresh = newProductMemory({
    deviceId: DEVICE_ID,
    type: 'barrier',
    position: 'closed',
    autoClose: { on: false, seconds: 10 },
  });
  const memory = options.paired === false ? fresh : pairMemory(fresh, { masterKey: MASTER_KEY, pairingEpoch: 1 });
  const rtcS = options.rtcS === undefined ? NOW_S : options.rtcS;
  return {
    product: powerUpProduct(crypto, {
      memory: { ...memory, ...options.memory },
      rtc: rtcS === null ? null : { timeS: rtcS, setMs: 0 },
      sensors: { ...SENSORS_FREE, ...options.sensors },
      nowMs: 0,
    }),
    nowMs: 0,
    mtu: options.mtu ?? 247,
    motor: [],
    drops: 0,
    nonces: 0,
    traffic: [],
  };
}

type TimelessInput = ProductInput extends infer Input ? (Input extends unknown ? Omit<Input, 'nowMs'> : never) : never;

/** Gives the product an input; returns the messages it sends. */
export function give(world: World, input: TimelessInput): Uint8Array[] {
  const step = nextProduct(crypto, world.product, { ...input, nowMs: world.nowMs } as ProductInput);
  world.product = step.state;
  const sent: Uint8Array[] = [];
  for (const effect of step.effects) {
    if (effect.type === 'send') sent.push(effect.message);
    if (effect.type === 'startMovement') world.motor.push(effect.target);
    if (effect.type === 'stopAndReverse') world.motor.push('reverse');
    if (effect.type === 'dropLink') world.drops++;
  }
  return sent;
}

export function giveMessage(world: World, bytes: Uint8Array): Uint8Array[] {
  return give(world, { type: 'message', bytes, nonce: nextNonce(world) });
}

/** 16 bytes that this world never gave out before. */
function nextNonce(world: World): Uint8Array {
  world.nonces++;
  return Uint8Array.from({ length: 16 }, (_, index) => (index < 4 ? (world.nonces >> (8 * index)) & 0xff : 0x5a));
}

/** Lets time pass to `nowMs + byMs`, with a tick there. */
export function pass(world: World, byMs: number): Uint8Array[] {
  world.nowMs += byMs;
  return give(world, { type: 'tick' });
}

export interface RunOptions {
  command: ProtocolCommand;
  credential?: CredentialBytes;
  eventId?: string;
  /** What happens while it moves; `nothing`: the client's patience ends, and the link. */
  during?: 'arrives' | 'jams' | 'car appears' | 'car appears, then jams' | 'nothing';
  /** Changes a message on its way; null loses it. */
  tamper?: (message: Uint8Array) => Uint8Array | null;
}

export interface RunResult {
  outcome: ClientOutcome;
  progress: StatusBlock[];
}

/** One whole exchange on a link of its own. */
export function run(world: World, options: RunOptions): RunResult {
  give(world, { type: 'linkOpened' });
  const result = runOnLink(world, options);
  give(world, { type: 'linkClosed' });
  return result;
}

/** An exchange on the link that is open, up to the product's first answer. */
export interface RunningExchange {
  /** What the product sent, of this exchange or of another one on the link. */
  hear(messages: Uint8Array[]): void;
  giveUp(): void;
  /** null: it has not ended. */
  result(): RunResult | null;
}

/** One exchange on the link that is open. */
export function runOnLink(world: World, options: RunOptions): RunResult {
  const running = beginOnLink(world, options);
  if (world.product.movement !== null) {
    world.nowMs += 1_500;
    running.hear(move(world, options.during ?? 'arrives'));
  }
  if (running.result() === null) running.giveUp();
  const result = running.result();
  if (result === null) throw new Error('the exchange has no outcome');
  return result;
}

/** @param onSent gets what the product sends, for other exchanges on the link */
export function beginOnLink(
  world: World,
  options: RunOptions,
  onSent: (messages: Uint8Array[]) => void = () => {},
): RunningExchange {
  const exchange: Exchange = {
    credential: options.credential ?? mint({ op: requiredOp(options.command.name) }),
    command: options.command,
    eventId: (options.eventId ?? EVENT_ID) as EventId,
    clientNonce: CLIENT_NONCE,
  };
  const tamper = options.tamper ?? ((message) => message);
  const progress: StatusBlock[] = [];
  let outcome: ClientOutcome | undefined;
  let client = CLIENT_IDLE;
  const toClient: Uint8Array[] = [];

  const giveClient = (input: ClientInput) => {
    const step = nextClient(crypto, client, input);
    client = step.state;
    for (const effect of step.effects) {
      if (effect.type === 'progress') progress.push(effect.block);
      if (effect.type === 'finish') outcome = effect.outcome;
      if (effect.type === 'send') {
        const message = carry(world, tamper(effect.message));
        if (message === null) continue;
        const answers = giveMessage(world, message);
        onSent(answers);
        toClient.push(...answers);
      }
    }
  };
  const deliver = () => {
    for (let message = toClient.shift(); message !== undefined; message = toClient.shift()) {
      const arrived = carry(world, tamper(message));
      if (arrived !== null) giveClient({ type: 'message', bytes: arrived });
    }
  };

  giveClient({ type: 'started', exchange });
  deliver();
  return {
    hear(messages) {
      toClient.push(...messages);
      deliver();
    },
    giveUp: () => giveClient({ type: 'timeout' }),
    result: () => (outcome === undefined ? null : { outcome, progress }),
  };
}

function move(world: World, during: NonNullable<RunOptions['during']>): Uint8Array[] {
  switch (during) {
    case 'arrives':
      return give(world, { type: 'movementDone' });
    case 'jams':
      return give(world, { type: 'movementJammed' });
    case 'car appears':
      give(world, { type: 'sensorsChanged', sensors: { carOnTop: true } });
      return give(world, { type: 'movementDone' });
    case 'car appears, then jams':
      give(world, { type: 'sensorsChanged', sensors: { carOnTop: true } });
      return give(world, { type: 'movementJammed' });
    case 'nothing':
      return [];
  }
}

/** Through fragments of the world's MTU and back. */
function carry(world: World, message: Uint8Array | null): Uint8Array | null {
  if (message === null) return null;
  world.traffic.push(message);
  let reassembly = NO_REASSEMBLY;
  let whole: Uint8Array | null = null;
  for (const fragment of splitMessage(message, world.mtu)) {
    const received = receiveFragment(reassembly, fragment, world.nowMs);
    reassembly = received.reassembly;
    whole = received.message;
  }
  return whole;
}

/** The authenticated result, or how the exchange ended without one. */
export function resultOf({ outcome }: RunResult): string {
  switch (outcome.kind) {
    case 'answered':
      return describeResult(outcome.block.result);
    case 'refused':
      return `hint ${outcome.type}`;
    case 'failed':
      return `failed ${outcome.type}`;
  }
}

function describeResult(result: BlockResult): string {
  return result.kind === 'error' ? `error ${result.type}` : result.kind;
}

/** The authenticated block; a test that gets none has failed. */
export function blockOf({ outcome }: RunResult): StatusBlock {
  if (outcome.kind !== 'answered') throw new Error(`no authenticated answer: ${JSON.stringify(outcome)}`);
  return outcome.block;
}
