/** Port: how a broker knows which gateways it lets in. The embedded broker asks the database; an external one has to be told. */
import type { GatewayUuid } from '../../shared/ids.js';

/** What a gateway's password is made of: the same text each time, so that it is kept nowhere (`Secrets.derive`). */
export interface GatewayCredential {
  uuid: GatewayUuid;
  /** 32 random-looking bytes as base64url, of which the database has the SHA-256. */
  password: string;
}

export interface BrokerAccounts {
  /** The password that the gateway is told at its claim: the credential's own, or what the broker wants instead of it (a signed token). */
  passwordFor(credential: GatewayCredential): string;
  /** Lets the gateway in, with its own topics and no others. Resolves when it can connect. Idempotent. */
  grant(credential: GatewayCredential): Promise<void>;
  /** Lets it in no more, and ends its connection within 5 s. Idempotent, also for one that was never let in. */
  revoke(uuid: GatewayUuid): Promise<void>;
  /** Brings the broker to these gateways and no others: at the start, and when the connection to the broker was lost. */
  reconcile(credentials: readonly GatewayCredential[]): Promise<void>;
  close(): Promise<void>;
}
