/** Measures at each hello the cloud time at which a gateway's monotonic clock began, to date what a Pi without a clock recorded. */
import type { Hello } from '../../shared/uplink.js';

export interface BootClocks {
  note(gateway_id: number, hello: Pick<Hello, 'boot_id' | 'mono_ms'>, cloud_ms: number): void;
  /** Cloud time at which the boot's monotonic clock showed zero; null when it was never measured. */
  beganMs(gateway_id: number, boot_id: string): number | null;
  /** Returns the same for the boot that said hello last. */
  presentBeganMs(gateway_id: number): number | null;
}

const BOOTS_MAX = 8;

/** The clocks are kept in memory: after a restart of the cloud every gateway says hello again, before it sends a record. */
export function createBootClocks(): BootClocks {
  const byGateway = new Map<number, Map<string, number>>();
  return {
    note(gateway_id, hello, cloud_ms) {
      const boots = byGateway.get(gateway_id) ?? new Map<string, number>();
      byGateway.set(gateway_id, boots);
      boots.delete(hello.boot_id);
      boots.set(hello.boot_id, cloud_ms - hello.mono_ms);
      for (const oldest of boots.keys()) {
        if (boots.size <= BOOTS_MAX) break;
        boots.delete(oldest);
      }
    },
    beganMs: (gateway_id, boot_id) => byGateway.get(gateway_id)?.get(boot_id) ?? null,
    presentBeganMs: (gateway_id) => [...(byGateway.get(gateway_id)?.values() ?? [])].at(-1) ?? null,
  };
}
