/** A cloud process that works on the database. */
interface CloudProcessesTable {
  id: string;
  /** It counts this up every second: one whose count stands still is dead or frozen. */
  beat: number;
  /** Whether it has a connection to the broker, so that it can have gateways. */
  is_hearing: 0 | 1;
  started_at: number;
}

/** Which process hears the gateways of a part (`gateway-parts.ts`). */
interface GatewayLeasesTable {
  part: number;
  /** `cloud_processes.id` */
  owner: string;
}

declare module '../store/schema.js' {
  interface Database {
    cloud_processes: CloudProcessesTable;
    gateway_leases: GatewayLeasesTable;
  }
}
