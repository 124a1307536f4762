/** What attackers make up, drawn from the seed of the run, so that the same seed makes up the same. */
import { V7Generator } from 'uuidv7';
import { seededRandom } from '../../scripts/sim/traffic/seeded-random.js';
import { SEED } from '../seed.js';

const random = seededRandom(SEED);
const nextUint32 = (): number => Math.floor(random() * 2 ** 32);
const uids = new V7Generator({ nextUint32 });

/** Goes on for as long as the process runs: a second attack does not make up what the first one did. */
export const draws = {
  bytes(length: number): Buffer {
    const words = Uint32Array.from({ length: Math.ceil(length / 4) }, nextUint32);
    return Buffer.from(words.buffer).subarray(0, length);
  },
  hex: (digits: number): string =>
    draws
      .bytes(Math.ceil(digits / 2))
      .toString('hex')
      .slice(0, digits),
  /** A random UUID, as gateways have them. */
  uuid: (): string => [draws.hex(8), draws.hex(4), `4${draws.hex(3)}`, `a${draws.hex(3)}`, draws.hex(12)].join('-'),
  /** A uid of a record, which begins with the time. */
  uid: (): string => uids.generate().toString(),
};
