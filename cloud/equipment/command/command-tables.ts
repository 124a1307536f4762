import type { Generated } from 'kysely';
import type { GatewayErrorType } from '../../../shared/errors.js';
import type { JsonColumn } from '../../kernel/entry.js';
import type { AttemptOutcome } from './command-machine.js';
import type { OrderedCommand } from './ordered-command.js';

/** A command of a person. It was accepted, so it always ends. */
interface CommandsTable {
  event_id: string;
  account_id: number;
  lot_id: number | null;
  product_id: number;
  /** An operation of the state call, `settings`, or `pair`. */
  operation: string;
  command: JsonColumn<OrderedCommand>;
  status: 'pending' | 'succeeded' | 'failed';
  /** A number as text, or `Timeout`; null unless failed. */
  gateway_error_type: `${GatewayErrorType}` | 'Timeout' | null;
  created_at: number;
  ended_at: number | null;
  /** 1: every gateway of the lot that is online may try, even if it hears the product only faintly. */
  is_emergency: Generated<0 | 1>;
}

/** One gateway's attempt at a command; the strongest signal is first. */
interface CommandAttemptsTable {
  id: Generated<number>;
  event_id: string;
  gateway_id: number;
  rssi: number | null;
  started_at: number;
  ended_at: number | null;
  /** `succeeded`, `failed:<type>`, `timeout`, `offline`, `late`; null while it runs. */
  outcome: AttemptOutcome | null;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    commands: CommandsTable;
    command_attempts: CommandAttemptsTable;
  }
}
