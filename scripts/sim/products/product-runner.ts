/** Runs the pure product machine: passes inputs from the product's parts, effects to them, and ticks when they are due. */
import type { Clock, Timer } from '../../../shared/clock.js';
import { advertiseProduct } from './firmware/product-advertisement.js';
import { nextProduct, nextProductDeadlineMs, type ProductInput } from './firmware/product-machine.js';
import type { ProductEffect } from './firmware/product-movement.js';
import type { ProductState } from './firmware/product-state.js';
import type { ProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';

export type ProductStimulus = ProductInput extends infer Input
  ? Input extends ProductInput
    ? Omit<Input, 'nowMs'>
    : never
  : never;

export interface RunningMachine {
  readonly state: ProductState;
  /** The product's present advertisement. */
  readonly manufacturerData: Uint8Array;
  /** @throws Error for an input that cannot be, as the machine does */
  input(stimulus: ProductStimulus): void;
  stop(): void;
}

export interface MachineParts {
  clock: Clock;
  crypto: ProtocolCrypto;
  perform: { [Type in ProductEffect['type']]: (effect: Extract<ProductEffect, { type: Type }>) => void };
  /** The product's condition changed, and it has a new advertisement. */
  onChange(manufacturerData: Uint8Array): void;
}

export function runProductMachine(initial: ProductState, parts: MachineParts): RunningMachine {
  const { clock, crypto } = parts;
  let { state, manufacturerData } = advertiseProduct(crypto, initial);
  let deadline: Timer | null = null;

  function input(stimulus: ProductStimulus): void {
    const { changeCounter } = state.memory;
    const next = nextProduct(crypto, state, { ...stimulus, nowMs: clock.monotonic() });
    state = next.state;
    for (const effect of next.effects) perform(effect);
    if (state.memory.changeCounter !== changeCounter) {
      ({ state, manufacturerData } = advertiseProduct(crypto, state));
      parts.onChange(manufacturerData);
    }
    watchDeadline();
  }

  function perform<Type extends ProductEffect['type']>(effect: Extract<ProductEffect, { type: Type }>): void {
    parts.perform[effect.type as Type](effect);
  }

  function watchDeadline(): void {
    deadline?.cancel();
    const dueMs = nextProductDeadlineMs(state);
    deadline = dueMs === null ? null : clock.setTimer(dueMs - clock.monotonic(), () => input({ type: 'tick' }));
  }

  watchDeadline();
  return {
    get state() {
      return state;
    },
    get manufacturerData() {
      return manufacturerData;
    },
    input,
    stop() {
      deadline?.cancel();
    },
  };
}
