import type { EventPayload } from '../../../shared/events/event-schemas.js';
import type { Generated } from 'kysely';
import type { Timestamps } from '../../kernel/entry.js';

/** Who or what began, ended or was paid for a session (specification, "session_create"). */
type SessionSource = EventPayload<'session_create'>['entry']['type'];

interface SessionsTable extends Timestamps {
  id: Generated<number>;
  uid: string;
  public_id: string;
  account_id: number;
  lot_id: number;
  zone_id: number;
  /** It stays when the tariff is deleted. */
  tariff_id: number | null;
  /** The tariff as it was when the session began; null: no tariff applies. */
  tariff_version_id: number | null;
  /** The currency of that version, stored here too so that sums need not look it up. */
  currency: string | null;
  /** What an ended session costs, in minor units, whatever was paid; null while it is open, and without a tariff. */
  price_minor: number | null;
  plate_normalised: string;
  entry_reading_id: number | null;
  exit_reading_id: number | null;
  entry_type: SessionSource;
  entry_source_id: number;
  exit_type: SessionSource | null;
  exit_source_id: number | null;
  ended_at: number | null;
  /** 1: an exit of a look-alike plate ended the session; the vehicle itself may still leave. */
  ended_by_look_alike: number;
  /** Minutes; -1 unlimited. */
  discount_time: number | null;
  amount_paid_minor: number;
  possibly_exited: number | null;
}

/** The single payments for a session; the session keeps the sum. */
interface SessionPaymentsTable {
  id: Generated<number>;
  account_id: number;
  lot_id: number;
  session_id: number;
  /** Minor units of the session's currency. */
  amount_minor: number;
  /** The name of the payment in the payer's system. */
  reference: string | null;
  /** Who reported the payment. */
  source_type: SessionSource;
  source_id: number;
  created_at: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    sessions: SessionsTable;
    session_payments: SessionPaymentsTable;
  }
}
