/** Mints the credentials with which a gateway acts alone. They are for its own slot, and change once a day. */
import { productDeviceIdSchema } from '../../../shared/ids.js';
import { encodeBase64url } from '../../../shared/product-protocol/base64url.js';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import type { ProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import { mintCredential, type TokenOp } from '../../../shared/product-protocol/token-codec.js';
import type { ProductItem } from '../../../shared/gateway-config.js';
import { DAY_MS } from '../../../shared/durations.js';

/** The token ids of gateways have the highest bit set, so that none is ever the id of an operation token. */
const GATEWAY_TOKEN_ID_BASE = 0x8000_0000;

export function mintProductPairing(
  crypto: ProtocolCrypto,
  options: {
    product: { device_id: string; pairing_epoch: number };
    /** 32 bytes */
    masterKey: Uint8Array;
    gateway: { id: number; slot: number; slot_generation: number };
    autonomy_days: number;
    now: number;
  },
): NonNullable<ProductItem['pairing']> {
  const { product, masterKey, gateway, autonomy_days } = options;
  const deviceId = productDeviceIdSchema.parse(product.device_id);
  const keys = deriveProductKeys(crypto, { masterKey, deviceId, pairingEpoch: product.pairing_epoch });
  const dayMs = Math.floor(options.now / DAY_MS) * DAY_MS;
  // A product's clock may lag at midnight, and in the last minute of the day the whole autonomy must still lie ahead.
  const notBeforeS = (dayMs - DAY_MS) / 1_000;
  const expiresS = (dayMs + (autonomy_days + 1) * DAY_MS) / 1_000;
  const mint = (op: TokenOp) =>
    mintCredential(crypto, keys, {
      op,
      slot: gateway.slot,
      gen: gateway.slot_generation,
      id: GATEWAY_TOKEN_ID_BASE + gateway.id,
      notBeforeS,
      expiresS,
    });
  return {
    epoch: product.pairing_epoch,
    advertisement_key: encodeBase64url(keys.adv),
    token_open: mint('open'),
    token_close: mint('close'),
    token_status: mint('status'),
    expires_ms: expiresS * 1_000,
  };
}
