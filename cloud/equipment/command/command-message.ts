/** The message that asks a gateway to try a command, with credentials minted for it alone. */
import { type EventId, productDeviceIdSchema } from '../../../shared/ids.js';
import { requiredOp } from '../../../shared/product-protocol/commands.js';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import type { ProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import { mintCredential, SLOTS, type TokenOp } from '../../../shared/product-protocol/token-codec.js';
import type { CommandMessage, ProductCommandPayload } from '../../../shared/uplink-orders.js';

/** The token ids of gateways are this number plus their ids, which begin with 1, so no other token has it. */
const CLOUD_TOKEN_ID = 0x8000_0000;
/** Products start with this generation, and nothing raises it: the cloud's keys are in no device that could be lost. */
const CLOUD_SLOT_GENERATION = 0;
/** How far a product's clock may be off and still be set right over the air (product protocol, "Clock"). */
const CLOCK_OFF_MAX_S = 15 * 60;

/**
 * Builds the message. Its token is valid from some time before, for a product whose clock lags, and ends with the deadline, so that the
 * product too refuses a late command. The token for `set_time` is valid on both sides of the deadline: it moves nothing, and is for
 * products whose clock is wrong.
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
    /** Whether another gateway can be asked. */
    hasOthers: boolean;
    now: number;
  },
): CommandMessage {
  const { event_id, product, masterKey, command, deadlineMs } = options;
  const device_id = productDeviceIdSchema.parse(product.device_id);
  const keys = deriveProductKeys(crypto, { masterKey, deviceId: device_id, pairingEpoch: product.pairing_epoch });
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
    has_others: options.hasOthers,
  };
}
