import type { GatewayErrorType } from '../../../shared/errors.js';
import type { CellOf, Flag, JsonColumn, Tables, TablesOf, Text } from '../../kernel/store/entry.js';
import type { CauseColumn } from '../opening/opening-tables.js';
import type { AttemptOutcome } from './command-machine.js';
import type { OrderedCommand } from './ordered-command.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends Omit<TablesOf<typeof COMMAND_BASELINE>, 'commands'> {
    commands: TablesOf<typeof COMMAND_BASELINE>['commands'] & AnsweredColumns & CauseColumn;
  }
}

/** The vehicle that a command lets through; null: it lets through none that was named. And the name of who gave it. */
export const ANSWERED_COLUMNS = {
  plate_reading_id: 'integer null',
  plate_sighting_id: 'integer null',
  given_by: 'text null',
} as const;

type AnsweredColumns = { [Each in keyof typeof ANSWERED_COLUMNS]: CellOf<(typeof ANSWERED_COLUMNS)[Each]> };

export const COMMAND_BASELINE = {
  /** A command of a person. It was accepted, so it always ends. */
  commands: {
    columns: {
      event_id: 'key',
      account_id: 'integer',
      lot_id: 'integer null',
      product_id: 'integer',
      /** An operation of the state call, `settings`, or `pair`. */
      operation: 'text',
      command: 'text' as Text<JsonColumn<OrderedCommand>>,
      status: 'text' as Text<'pending' | 'succeeded' | 'failed'>,
      /** A number as text, or `Timeout`; null unless failed. */
      gateway_error_type: 'text null' as Text<`${GatewayErrorType}` | 'Timeout' | null>,
      created_at: 'bigint',
      ended_at: 'bigint null',
      /** 1: every gateway of the lot that is online may try, even if it hears the product only faintly. */
      is_emergency: { type: 'integer' as Flag, default: 0 },
    },
    indices: [['created_at'], { columns: ['product_id'], where: 'ended_at is null' }],
  },
  /** One gateway's attempt at a command; the strongest signal is first. */
  command_attempts: {
    columns: {
      id: 'id',
      event_id: 'text',
      gateway_id: 'integer',
      rssi: 'integer null',
      started_at: 'bigint',
      ended_at: 'bigint null',
      /** `succeeded`, `failed:<type>`, `timeout`, `offline`, `late`; null while it runs. */
      outcome: 'text null' as Text<AttemptOutcome | null>,
    },
    indices: [['event_id'], { columns: ['gateway_id'], where: 'ended_at is null' }],
  },
} satisfies Tables;
