import type { Generated } from 'kysely';
import type { GatewayErrorType } from '../../../shared/errors.js';
import type { JsonColumn, Tables } from '../../kernel/store/entry.js';
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

export const COMMAND_BASELINE: Tables = {
  commands: {
    columns: {
      event_id: 'key',
      account_id: 'integer',
      lot_id: 'integer null',
      product_id: 'integer',
      operation: 'text',
      command: 'text',
      status: 'text',
      gateway_error_type: 'text null',
      created_at: 'bigint',
      ended_at: 'bigint null',
      is_emergency: { type: 'integer', default: 0 },
    },
    indices: [['created_at'], { columns: ['product_id'], where: 'ended_at is null' }],
  },
  command_attempts: {
    columns: {
      id: 'id',
      event_id: 'text',
      gateway_id: 'integer',
      rssi: 'integer null',
      started_at: 'bigint',
      ended_at: 'bigint null',
      outcome: 'text null',
    },
    indices: [['event_id'], { columns: ['gateway_id'], where: 'ended_at is null' }],
  },
};
