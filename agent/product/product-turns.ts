/** The order of the jobs at each product: one after the other, in the order in which they came. */
import type { ProductDeviceId } from '../../shared/ids.js';
import { deferred } from '../waiting/deferred.js';

/** A job that came earlier. */
export interface EarlierJob {
  /** Settles when it, and all before it, have released the product. */
  over: Promise<unknown>;
  /** Settles when it has the product in motion: an opening command need not wait longer, and shares its link. */
  moving: Promise<void>;
}

export interface Turn {
  /** undefined: the product is free. */
  readonly before: EarlierJob | undefined;
  /** Notes that this job has the product in motion. */
  setMoving(): void;
  /** Call it once, when the job has its outcome. Its turn is over when this settles. */
  end(released: Promise<void>): void;
}

export interface ProductTurns {
  enter(deviceId: ProductDeviceId): Turn;
}

export function createProductTurns(): ProductTurns {
  const lastOfProduct = new Map<ProductDeviceId, EarlierJob>();
  return {
    enter(deviceId) {
      const before = lastOfProduct.get(deviceId);
      const moving = deferred<void>();
      const released = deferred<void>();
      // When a job gives up in the queue, later jobs still wait for the one before it.
      const job: EarlierJob = { over: Promise.all([before?.over, released.promise]), moving: moving.promise };
      lastOfProduct.set(deviceId, job);
      void job.over.then(() => {
        if (lastOfProduct.get(deviceId) === job) lastOfProduct.delete(deviceId);
      });
      return { before, setMoving: () => moving.resolve(), end: (over) => void over.then(released.resolve) };
    },
  };
}
