/** What a product sends out for everybody, from its state. */
import { encodeAdvertisement } from './advertisement-codec.js';
import { conditionOf, type ProductState } from './product-state.js';
import type { ProtocolCrypto } from './protocol-crypto.js';

/** So many numbers are taken at once, so that memory is not written for each advertisement. */
const ADV_SEQ_BLOCK = 1_024;
/** Nobody can verify the advertisement of a product that has no key. */
const NO_ADVERTISEMENT_KEY = new Uint8Array(32);

/** The next advertisement's manufacturer data; each has a number of its own. */
export function advertiseProduct(
  crypto: ProtocolCrypto,
  state: ProductState,
): { state: ProductState; manufacturerData: Uint8Array } {
  const advSeq = state.advSeq + 1;
  const { memory, keys } = state;
  const advSeqReserved = advSeq > memory.advSeqReserved ? memory.advSeqReserved + ADV_SEQ_BLOCK : memory.advSeqReserved;
  const manufacturerData = encodeAdvertisement(crypto, {
    advertisementKey: keys?.adv ?? NO_ADVERTISEMENT_KEY,
    content: {
      type: memory.type,
      deviceId: memory.deviceId,
      ...conditionOf(state),
      changeCounter: memory.changeCounter,
      epochLow: memory.epoch & 0xff,
      advSeq,
    },
  });
  return { state: { ...state, advSeq, memory: { ...memory, advSeqReserved } }, manufacturerData };
}
