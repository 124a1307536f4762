/** The air between the parts of the emulated radio. */
import type { RadioIdentity } from '../../../agent/product/hci/hub-codec.js';
import type { Clock } from '../../../shared/clock.js';
import type { PathSettings } from './paths.js';

/** A product or gateway on the air. */
export interface AirEnd {
  readonly identity: RadioIdentity;
  /** Its radio address: a product's is its device_id. */
  readonly address: string;
}

export interface Air<End extends AirEnd> {
  readonly clock: Clock;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  centrals(): Iterable<End>;
  pathBetween(peripheral: AirEnd, central: AirEnd): PathSettings;
}
