/**
 * The locks of transactions, by name. A transaction that decides by what it reads, and would decide otherwise if another one did the same
 * at that time, acquires a lock before it reads: `await tx.lock(LOCKS.auditChain)`. The query or service that decides acquires it, so that
 * no caller can forget it. SQLite has one writer, which holds every lock at no cost; with many writers, a database makes the others wait
 * until the transaction ends.
 *
 * The order of this list is the order in which a transaction acquires them. One that is asked for behind a later one is only tried: if
 * another transaction holds it, the change is made again and begins with all the locks that it turned out to need, in order. So no two
 * changes wait for each other, whatever they do; but a change that is repeated costs its work twice, so keep to the order where you can.
 * The journal needs no lock here, because its head row is one (`journal-queries.ts`), nor does an Idempotency-Key, whose row is one.
 */

/** A lock is known by its name, in the whole database. */
export interface Lock {
  readonly name: string;
  /** Its place in the order. */
  readonly rank: number;
}

/** Makes locks, each kind behind the one before it. */
function createLockKinds() {
  let last = 0;
  const next = (): number => (last += 1);
  return {
    /** A lock that there is once. */
    one: (name: string): Lock => ({ name, rank: next() }),
    /** One lock for each thing. */
    each<Of extends number | string>(kind: string): (of: Of) => Lock {
      const rank = next();
      return (of) => ({ name: `${kind} ${of}`, rank });
    },
  };
}

/** The order of all locks: by place, then by name. */
export const byOrder = (a: Lock, b: Lock): number =>
  a.rank - b.rank || (a.name < b.name ? -1 : Number(a.name > b.name));

const { one, each } = createLockKinds();

export const LOCKS = {
  /** A record that REST writes, by its path: of two writers who name the same version one wins. It is always the first lock. */
  record: each<string>('record'),
  /** The rows that a site file is planned against. */
  site: one('site'),
  /** Slots at products: no slot is given to two gateways. */
  gatewaySlots: one('gateway_slots'),
  /** Claims: a code has one first use, and a uuid one gateway. */
  claims: one('claims'),
  /** Whose gateways are whose among cloud processes. */
  gatewayLeases: one('gateway_leases'),
  /** A terminal's key: one account has the terminal. */
  terminalKey: each<string>('terminal_key'),
  /** Mail addresses of account users: in an account each has one user. */
  userEmails: one('user_emails'),
  /** Roles of account users: an account that has a Super Admin keeps one. */
  superAdmins: one('super_admins'),
  /** Tokens of a user: a sign-in replaces the ones before it. */
  userTokens: each<number>('user_tokens'),
  /** Webhooks of an account: their number is limited, and a secret follows another. */
  webhooks: each<number>('webhooks'),
  /** Cursors of a gateway's records, and its early records. */
  ingest: each<number>('ingest'),
  /** The last presence of a gateway. */
  presence: each<string>('presence'),
  /** Open sessions of a lot: a plate has one. */
  openSessions: each<number>('open_sessions'),
  /** Occupancy of a lot's places: each count in an event is that of its change. */
  occupancy: each<number>('occupancy'),
  /** Commands of a product that have not ended: a product has one at a time. */
  pendingCommands: each<number>('pending_commands'),
  /** Attempts and end of a command: its steps come one after the other. */
  command: each<string>('command'),
  /** Keys that were offered to a product: they are numbered one after the other. */
  pairing: each<number>('pairing'),
  /** Keys of a product: none is made, or made active, of a product that is deleted or paired anew meanwhile. */
  productKeys: each<number>('product_keys'),
  /** State of a product: its events say whether it changed. */
  productState: each<number>('product_state'),
  /** The import of members of an account: it has one at a time, of which each line is written once. */
  memberImports: each<number>('member_imports'),
  /** Deliveries that are due, by their table: one process attempts each. A webhook's event gives one, and a lot has one at a time. */
  deliveries: each<string>('deliveries'),
  /** The last row of the audit log, whose hash the next row holds. It is always the last lock: an entry is written after the work. */
  auditChain: one('audit_chain'),
} as const;
