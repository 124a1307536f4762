/** An uplink as a maker published it, with what the maker says that it means. */
import type { CodecPlace } from '../../../../agent/sensor/codecs/sensor-codec.js';
import type { Occupancy } from '../../../../agent/sensor/sensor-source.js';

export interface RecordedUplink {
  /** Where the pair was published: the maker's own page, or the collection that has it from the maker. */
  source: string;
  port: number;
  hex: string;
  /** The published result, in its own keys. */
  published: Readonly<Record<string, string | number | boolean>>;
  /** The same as the codec says it. */
  occupancy: Occupancy | null;
  values: Readonly<Record<string, string | number | boolean>>;
  /** The settings of the place; left out: none. */
  place?: CodecPlace;
}
