/** Builds from a product's state what it advertises to everybody. */
import { encodeAdvertisement } from '../../../../shared/product-protocol/advertisement-codec.js';
import { conditionOf, type ProductState } from './product-state.js';
import type { ProtocolCrypto } from '../../../../shared/product-protocol/protocol-crypto.js';

/** How many numbers are reserved at once, so that memory is not written for each advertisement. */
const ADV_SEQ_BLOCK = 1_024;
/** Nobody can verify the advertisement of a product that has no key. */
const NO_ADVERTISEMENT_KEY = new Uint8Array(32);

/** Builds the manufacturer data of the next advertisement, with the next number. */
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
      pairingEpochLow: memory.pairingEpoch & 0xff,
      advSeq,
    },
  });
  return { state: { ...state, advSeq, memory: { ...memory, advSeqReserved } }, manufacturerData };
}
