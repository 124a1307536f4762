import type { EventPayload } from '../../../shared/events/event-schemas.js';
import type { JsonColumn, Tables, TablesOf, Text } from '../../kernel/store/entry.js';
import type { StoredPriceLines } from './session-bill.js';

/** The source of a session's beginning, end or payment (specification, "session_create"). */
type SessionSource = EventPayload<'session_create'>['entry']['type'];

/** The facts about the price of a session besides the amount, and about free minutes that somebody granted. */
interface SessionMoney {
  /** The lines that the price of an ended session is made of; null while it is open, without a tariff, and where it ended before they were kept. */
  price_lines: JsonColumn<StoredPriceLines, null>;
  discount_reason: string | null;
  /** The name of who granted `discount_time`. */
  discount_granted_by: string | null;
  discount_granted_at: number | null;
}

interface PaymentPerson {
  reason: string | null;
  /** The name of who reported the payment; null: it was not kept yet. */
  created_by_name: string | null;
}

type SessionTables = TablesOf<typeof SESSION_BASELINE>;

declare module '../../kernel/store/schema.js' {
  interface Database {
    sessions: SessionTables['sessions'] & SessionMoney;
    session_payments: SessionTables['session_payments'] & PaymentPerson;
  }
}

export const SESSION_BASELINE = {
  sessions: {
    columns: {
      id: 'id',
      uid: 'text',
      public_id: 'text',
      account_id: 'integer',
      lot_id: 'integer',
      zone_id: 'integer',
      /** It stays when the tariff is deleted. */
      tariff_id: 'integer null',
      plate_normalised: 'text',
      entry_reading_id: 'integer null',
      exit_reading_id: 'integer null',
      entry_type: 'text' as Text<SessionSource>,
      entry_source_id: 'integer',
      exit_type: 'text null' as Text<SessionSource | null>,
      exit_source_id: 'integer null',
      ended_at: 'bigint null',
      /** 1: an exit of a look-alike plate ended the session; the vehicle itself may still leave. */
      ended_by_look_alike: 'integer',
      /** Minutes; -1 unlimited. */
      discount_time: 'integer null',
      amount_paid_minor: 'bigint',
      possibly_exited: 'integer null',
      /** The tariff as it was when the session began; null: no tariff applies. */
      tariff_version_id: 'integer null',
      /** The currency of that version, stored here too so that sums need not look it up. */
      currency: 'text null',
      /** What an ended session costs, in minor units, whatever was paid; null while it is open, and without a tariff. */
      price_minor: 'bigint null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [
      { columns: ['uid'], isUnique: true },
      { columns: ['public_id'], isUnique: true },
      ['account_id', 'id'],
      ['lot_id', 'created_at'],
      ['lot_id', 'ended_at'],
      { columns: ['lot_id', 'plate_normalised'], where: 'ended_at is null' },
      { columns: ['zone_id', 'created_at'], where: 'ended_at is null' },
      ['account_id', 'plate_normalised'],
      ['account_id', 'created_at'],
      ['account_id', 'ended_at'],
      { columns: ['account_id', 'created_at'], where: 'ended_at is null', name: 'sessions_account_id_created_at_open' },
      { columns: ['account_id', 'updated_at', 'id'], name: 'sessions_account_id_updated_at' },
      // All that vehicle analytics say of a session: reading each session beside the index took more than half of their time.
      {
        columns: [
          'account_id',
          'plate_normalised',
          'lot_id',
          'created_at',
          'ended_at',
          'currency',
          'amount_paid_minor',
        ],
        name: 'sessions_vehicles',
      },
      // What stood beside a read at a car park, however often any car park saw the plate.
      {
        columns: ['lot_id', 'plate_normalised', 'created_at', 'id'],
        name: 'sessions_lot_id_plate_normalised_created_at',
      },
    ],
  },
  /** The single payments for a session; the session keeps the sum. */
  session_payments: {
    columns: {
      id: 'id',
      account_id: 'integer',
      lot_id: 'integer',
      session_id: 'integer',
      /** Minor units of the session's currency. */
      amount_minor: 'bigint',
      /** The name of the payment in the payer's system. */
      reference: 'text null',
      /** Who reported the payment. */
      source_type: 'text' as Text<SessionSource>,
      source_id: 'integer',
      created_at: 'bigint',
    },
    indices: [['session_id']],
  },
} satisfies Tables;
