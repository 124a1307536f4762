/** Port: how an external broker is told which gateways it lets in. The embedded one asks the database at each connection. */
import type { GatewayUuid } from '../../../shared/ids.js';

/** The parts of a gateway's password. It is derived anew each time (`Secrets.derive`), and stored nowhere. */
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
   * Lets the gateway in, with its own topics and no others. Resolves when it can connect. A connection with an earlier password is cut off
   * within 5 s; a connection with this one stays. Idempotent.
   */
  grant(credential: GatewayCredential): Promise<void>;
  /** Stops letting the gateway in, and ends its connection within 5 s. Idempotent, also for a gateway that was never let in. */
  revoke(uuid: GatewayUuid): Promise<void>;
  /** Ends the gateway's connection; it may connect again at once. Does nothing where a broker has no such order. */
  kick(uuid: GatewayUuid): Promise<void>;
  /**
   * Brings the broker to these gateways and no others: at the start, and when the connection to the broker was lost. Several processes
   * may do it at once, beside grants and revocations of each other: so it looks at the broker first and at the database after that, and
   * once more at the database when it has let gateways in.
   */
  reconcile(credentials: Pick<GatewayCredentials, 'list'>): Promise<void>;
  close(): Promise<void>;
}
