/** Products as a gateway has them from its configuration. */
import type { ProductItem } from '../../../shared/gateway-config.js';
import type { ProductDeviceId } from '../../../shared/ids.js';
import { encodeBase64url } from '../../../shared/product-protocol/base64url.js';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import type { StatusBlock } from '../../../shared/product-protocol/status-block.js';
import { mintCredential, NO_EXPIRY_S, type TokenOp } from '../../../shared/product-protocol/token-codec.js';
import { crypto, MASTER_KEY } from '../product-protocol/protocol-fixture.js';

export const BARRIER = 'a4c138000001' as ProductDeviceId;
export const GATE = 'a4c138000002' as ProductDeviceId;

/** What a barrier says that has opened. */
export const OPENED: StatusBlock = {
  result: { kind: 'ok' },
  state: 'opened',
  carOnTop: false,
  autoClose: false,
  permanentPosition: 'disabled',
  errors: 0,
  battery: 80,
  autocloseS: 10,
  changeCounter: 1,
};

const GATEWAY_SLOT = 1;

/** `pairing` null: not paired. */
export function productItem(
  deviceId: ProductDeviceId,
  options: { pairing?: { masterKey?: Uint8Array; pairingEpoch?: number; expiresMs?: number } | null } = {},
): ProductItem {
  const named = { id: Number.parseInt(deviceId.slice(-2), 16), device_id: deviceId, name: `Product ${deviceId}` };
  const item = { ...named, type: 'barrier' as const, zone_id: 5, pairing: null };
  if (options.pairing === null) return item;
  const { masterKey = MASTER_KEY, pairingEpoch = 1, expiresMs = Date.UTC(2027, 0, 1) } = options.pairing ?? {};
  const keys = deriveProductKeys(crypto, { masterKey, deviceId, pairingEpoch });
  const credential = (op: TokenOp) =>
    mintCredential(crypto, keys, { op, slot: GATEWAY_SLOT, gen: 0, id: 1, notBeforeS: 0, expiresS: NO_EXPIRY_S });
  return {
    ...item,
    pairing: {
      epoch: pairingEpoch,
      advertisement_key: encodeBase64url(keys.adv),
      token_open: credential('open'),
      token_close: credential('close'),
      token_status: credential('status'),
      expires_ms: expiresMs,
    },
  };
}
