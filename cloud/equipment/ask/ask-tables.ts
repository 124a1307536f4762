import type { AskAnswers, AskKind } from '../../../shared/uplink-asks.js';
import type { JsonColumn, Tables, TablesOf, Text } from '../../kernel/store/entry.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof GATEWAY_ASKS> {}
}

export const GATEWAY_ASKS = {
  /** What each gateway was last asked, and its last answer, by kind and by the thing that is asked about. */
  gateway_asks: {
    columns: {
      gateway_id: { partOf: 'gateways' },
      kind: 'text' as Text<AskKind>,
      /** 0: the gateway itself. */
      subject_id: 'integer',
      /** Wall milliseconds. No two asks of one row have the same. */
      asked_at: 'bigint',
      /** When the last answer came: before `asked_at` when it is that of an earlier ask. */
      answered_at: 'bigint null',
      /** Why the last answer has nothing else, for people. */
      fault: 'text null',
      answer: 'text null' as Text<JsonColumn<AskAnswers[AskKind], null>>,
    },
    primaryKey: ['gateway_id', 'kind', 'subject_id'],
  },
} satisfies Tables;
