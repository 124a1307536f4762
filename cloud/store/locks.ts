/**
 * The locks of transactions, by name. A transaction that decides by what it reads, and would decide otherwise if another one did the same
 * at that time, acquires a lock before it reads: `await tx.lock(LOCKS.auditChain)`. The query or service that decides acquires it, so that
 * no caller can forget it. SQLite has one writer, which holds every lock at no cost; with many writers, a database makes the others wait
 * until the transaction ends.
 *
 * A transaction that needs several acquires them in the order of this list as far as it can, so that transactions seldom wait for each
 * other in a circle. A database that finds a circle ends one of them, which is tried again.
 * The journal needs no lock here, because its head row is one (`journal-queries.ts`).
 */

/** A lock is known by its name, in the whole database. */
export interface Lock {
  readonly name: string;
}

const lock = (...parts: readonly (string | number)[]): Lock => ({ name: parts.join(' ') });

export const LOCKS = {
  /** A record that REST writes, by its path: of two writers who name the same version one wins. It is always the first lock. */
  record: (path: string): Lock => lock('record', path),
  /** The rows that a site file is planned against. */
  site: lock('site'),
  /** Slots at products: no slot is given to two gateways. */
  gatewaySlots: lock('gateway_slots'),
  /** Claims: a code has one first use, and a uuid one gateway. */
  claims: lock('claims'),
  /** Whose gateways are whose among cloud processes. */
  gatewayLeases: lock('gateway_leases'),
  /** A terminal's key: one account has the terminal. */
  terminalKey: (public_key: string): Lock => lock('terminal_key', public_key),
  /** Mail addresses of account users: in an account each has one user. */
  userEmails: lock('user_emails'),
  /** Roles of account users: an account that has a Super Admin keeps one. */
  superAdmins: lock('super_admins'),
  /** Tokens of a user: a sign-in replaces the ones before it. */
  userTokens: (account_user_id: number): Lock => lock('user_tokens', account_user_id),
  /** Webhooks of an account: their number is limited, and a secret follows another. */
  webhooks: (account_id: number): Lock => lock('webhooks', account_id),
  /** Cursors of a gateway's records, and its early records. */
  ingest: (gateway_id: number): Lock => lock('ingest', gateway_id),
  /** The last presence of a gateway. */
  presence: (uuid: string): Lock => lock('presence', uuid),
  /** Open sessions of a lot: a plate has one. */
  openSessions: (lot_id: number): Lock => lock('open_sessions', lot_id),
  /** Occupancy of a lot's places: each count in an event is that of its change. */
  occupancy: (lot_id: number): Lock => lock('occupancy', lot_id),
  /** Commands of a product that have not ended: a product has one at a time. */
  pendingCommands: (product_id: number): Lock => lock('pending_commands', product_id),
  /** Attempts and end of a command: its steps come one after the other. */
  command: (event_id: string): Lock => lock('command', event_id),
  /** Keys that were offered to a product: they are numbered one after the other. */
  pairing: (product_id: number): Lock => lock('pairing', product_id),
  /** Keys of a product: none is made, or made active, of a product that is deleted or paired anew meanwhile. */
  productKeys: (product_id: number): Lock => lock('product_keys', product_id),
  /** State of a product: its events say whether it changed. */
  productState: (product_id: number): Lock => lock('product_state', product_id),
  /** Deliveries of webhooks: each event gives one, one process attempts it, and a lot has one at a time. */
  webhookTurn: lock('webhook_turn'),
  /** Mails that are due: one process tries each. */
  mailTurn: lock('mail_turn'),
  /** The first request with an Idempotency-Key. */
  idempotencyKey: (scope: { caller: string; route: string; key: string }): Lock =>
    lock('idempotency_key', scope.caller, scope.route, scope.key),
  /** The last row of the audit log, whose hash the next row holds. It is always the last lock: the hook of an audited request acquires it. */
  auditChain: lock('audit_chain'),
} as const;
