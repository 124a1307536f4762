import type { DoctorReport } from '../../../shared/doctor/report.js';
import type { JsonColumn, Tables, TablesOf, Text } from '../../kernel/store/entry.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof GATEWAY_DOCTOR_BASELINE> {}
}

export const GATEWAY_DOCTOR_BASELINE = {
  /** The findings of each gateway's last look at itself. A gateway that never did and was never asked to has no row. */
  gateway_doctors: {
    columns: {
      gateway_id: { partOf: 'gateways' },
      /** When somebody last asked it to: wall milliseconds. */
      asked_at: 'bigint null',
      /** When its report came: wall milliseconds. */
      reported_at: 'bigint null',
      report: 'text null' as Text<JsonColumn<DoctorReport, null>>,
    },
    primaryKey: ['gateway_id'],
  },
} satisfies Tables;
