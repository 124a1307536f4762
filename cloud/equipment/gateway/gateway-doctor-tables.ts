import type { DoctorReport } from '../../../shared/doctor/report.js';
import type { JsonColumn, Tables } from '../../kernel/store/entry.js';

/** The findings of each gateway's last look at itself. A gateway that never did and was never asked to has no row. */
interface GatewayDoctorsTable {
  gateway_id: number;
  /** When somebody last asked it to: wall milliseconds. */
  asked_at: number | null;
  /** When its report came: wall milliseconds. */
  reported_at: number | null;
  report: JsonColumn<DoctorReport> | null;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    gateway_doctors: GatewayDoctorsTable;
  }
}

export const GATEWAY_DOCTOR_BASELINE: Tables = {
  gateway_doctors: {
    columns: {
      gateway_id: { partOf: 'gateways' },
      asked_at: 'bigint null',
      reported_at: 'bigint null',
      report: 'text null',
    },
    primaryKey: ['gateway_id'],
  },
};
