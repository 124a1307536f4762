/** What moved since the page was opened: barriers and gates, by the states that events tell. */
import { effect, signal, untracked } from '@preact/signals';
import { type PassState, passStateOf } from '../wording/product-view.js';
import type { Product } from './records.js';
import { products } from './store.js';

export interface Movement {
  /** Counts them. */
  id: number;
  product: Product;
  state: PassState;
  /** When the page heard of it, as the service writes times. */
  at: string;
}

const MOVEMENTS_MAX = 20;

/** The newest first. */
export const movements = signal<readonly Movement[]>([]);
const known = new Map<number, PassState>();
let count = 0;

effect(() => {
  const now = products.value;
  untracked(() => {
    // Another person signs in.
    if (now.length === 0) {
      known.clear();
      movements.value = [];
    }
    for (const product of now) {
      const state = passStateOf(product);
      const before = known.get(product.id);
      known.set(product.id, state);
      if (before === undefined || before === state) continue;
      count += 1;
      const movement = { id: count, product, state, at: new Date().toISOString() };
      movements.value = [movement, ...movements.value].slice(0, MOVEMENTS_MAX);
    }
  });
});
