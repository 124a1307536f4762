/** The message that asks a gateway to try a command, with credentials minted for it alone. */
import { type EventId, productDeviceIdSchema } from '../../shared/ids.js';
import { requiredOp } from '../../shared/product-protocol/commands.js';
import { deriveProductKeys } from '../../shared/product-protocol/keys.js';
import type { ProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import { mintCredential, SLOTS, type TokenOp } from '../../shared/product-protocol/token-codec.js';
import type { CommandMessage, ProductCommandPayload } from '../../shared/uplink.js';

/** Gateways' ids are added to this for their tokens, and begin with 1: no other token has it. */
const CLOUD_TOKEN_ID = 0x8000_0000;
/** Products start with it, and nothing raises it: the cloud's keys are not carried about. */
const CLOUD_SLOT_GENERATION = 0;
/** How far a product's clock may be off and still be set right over the air (product protocol, "Clock"). */
const CLOCK_OFF_MAX_S = 15 * 60;

/**
 * A token that is valid early for a product whose clock lags, and ends with the deadline, so that the product refuses a late one
 * too. The one for `set_time` reaches to both sides of it: it moves nothing, and is for products whose clock is wrong.
 */
export function commandMessage(
  crypto: ProtocolCrypto,
  options: {
    event_id: EventId;
    product: { id: number; device_id: string; pairing_epoch: number };
    /** 32 bytes */
    masterKey: Uint8Array;
    command: ProductCommandPayload;
    /** Wall milliseconds: no REQUEST leaves after it. */
    deadlineMs: number;
    now: number;
  },
): CommandMessage {
  const { event_id, product, masterKey, command, deadlineMs } = options;
  const device_id = productDeviceIdSchema.parse(product.device_id);
  const keys = deriveProductKeys(crypto, { masterKey, deviceId: device_id, epoch: product.pairing_epoch });
  const notBeforeS = Math.floor(options.now / 1_000) - CLOCK_OFF_MAX_S;
  const mint = (op: TokenOp, expiresS: number) =>
    mintCredential(crypto, keys, {
      op,
      slot: SLOTS.cloud,
      gen: CLOUD_SLOT_GENERATION,
      id: CLOUD_TOKEN_ID,
      notBeforeS,
      expiresS,
    });
  const deadlineS = Math.ceil(deadlineMs / 1_000);
  return {
    event_id,
    product_id: product.id,
    device_id,
    command,
    credential: mint(requiredOp(command.name), deadlineS),
    set_time_credential: mint(requiredOp('set_time'), deadlineS + CLOCK_OFF_MAX_S),
    deadline_ms: deadlineMs,
  };
}
