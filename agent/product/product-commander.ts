/** Port: carries out commands at products. Each product has one command at a time; the others wait their turn. */
import type { GatewayErrorType } from '../../shared/errors.js';
import type { EventId, ProductDeviceId } from '../../shared/ids.js';
import type { ProtocolCommand } from '../../shared/product-protocol/commands.js';
import type { StatusBlock } from '../../shared/product-protocol/status-block.js';
import type { CredentialBytes } from '../../shared/product-protocol/token-codec.js';

export interface ProductCommand {
  device_id: ProductDeviceId;
  event_id: EventId;
  command: ProtocolCommand;
  /** On the monotonic clock: no REQUEST leaves after it. */
  deadline_mono_ms: number;
  /** Somebody stands there and waits: it does not wait for the links that others are making. */
  is_urgent?: boolean;
  /** Another gateway can try: while the adapter is busy this one does not wait for long. */
  can_hand_over?: boolean;
  /** Credentials for this command. Without them the command has the gateway's own, which allow what slots 1-15 may (product protocol). */
  credentials?: CommandCredentials;
}

export interface CommandCredentials {
  command: CredentialBytes;
  /** For a product whose clock is wrong. */
  set_time: CredentialBytes;
}

export type CommandOutcome =
  /** `block`: the product's own last status. */
  | { outcome: 'succeeded'; block: StatusBlock }
  /** The product itself refused, or failed. */
  | { outcome: 'failed'; type: GatewayErrorType; authenticated: true; block: StatusBlock }
  /** The link failed, or an unauthenticated hint ended the attempt. */
  | { outcome: 'failed'; type: GatewayErrorType; authenticated: false };

/** A failure that the product did not authenticate: the link failed, or a hint ended the attempt. */
export type FailedAttempt = Extract<CommandOutcome, { authenticated: false }>;

export const failedAttempt = (type: GatewayErrorType): FailedAttempt => ({
  outcome: 'failed',
  type,
  authenticated: false,
});

export interface ProductCommander {
  /** Never rejects: every failure is an outcome. If the product is free, the connection begins before this returns. */
  execute(command: ProductCommand, signal?: AbortSignal): Promise<CommandOutcome>;
}

export interface PairingOrder {
  device_id: ProductDeviceId;
  event_id: EventId;
  /** On the monotonic clock: nothing is given to the product after it. */
  deadline_mono_ms: number;
  /** Sends the product's offer to the cloud and waits for the answer; null: none came in time. Ends with the signal. */
  relay(offer: Uint8Array, signal: AbortSignal): Promise<Uint8Array | null>;
}

export type PairingOutcome =
  /** The last message of the product; only the cloud can verify that it is a confirmation. */
  | { outcome: 'succeeded'; confirmation: Uint8Array }
  | { outcome: 'failed'; type: GatewayErrorType; authenticated: false };

/** Port: carries a pairing between product and cloud. It shares the queue of the product's commands. */
export interface ProductPairer {
  /** Never rejects: every failure is an outcome. */
  pair(order: PairingOrder, signal?: AbortSignal): Promise<PairingOutcome>;
}
