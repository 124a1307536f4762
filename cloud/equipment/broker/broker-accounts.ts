/** Port: how an external broker is told which gateways it lets in. The embedded one asks the database at each connection. */
import type { GatewayUuid } from '../../../shared/ids.js';

/** What a gateway's password is made of: the same text each time, so that it is kept nowhere (`Secrets.derive`). */
export interface GatewayCredential {
  uuid: GatewayUuid;
  /** 32 random-looking bytes as base64url, of which the database has the SHA-256. */
  password: string;
}

/** The gateways that were claimed, as the database has them at the moment of the call. */
export interface GatewayCredentials {
  /** null: it may not connect (it is unknown, deleted, or was not claimed). */
  find(uuid: GatewayUuid): Promise<GatewayCredential | null>;
  list(): Promise<GatewayCredential[]>;
}

export interface BrokerAccounts {
  /** The password that the gateway is told at its claim: the credential's own, or what the broker wants instead of it (a signed token). */
  passwordFor(credential: GatewayCredential): string;
  /**
   * Lets the gateway in, with its own topics and no others. Resolves when it can connect. Who is connected under an earlier password is
   * cut off within 5 s; who has this one stays connected. Idempotent.
   */
  grant(credential: GatewayCredential): Promise<void>;
  /** Lets it in no more, and ends its connection within 5 s. Idempotent, also for one that was never let in. */
  revoke(uuid: GatewayUuid): Promise<void>;
  /** Ends its connection, which it may make again at once. Nothing happens where a broker cannot do that. */
  kick(uuid: GatewayUuid): Promise<void>;
  /**
   * Brings the broker to these gateways and no others: at the start, and when the connection to the broker was lost. Several processes
   * may do it at once, beside grants and revocations of each other: so it looks at the broker first and at the database after that, and
   * once more at the database when it has let gateways in.
   */
  reconcile(credentials: Pick<GatewayCredentials, 'list'>): Promise<void>;
  close(): Promise<void>;
}
