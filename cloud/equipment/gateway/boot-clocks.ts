/**
 * Measures at each hello the cloud time at which a gateway's monotonic clock began, to date what a Pi without a clock recorded. The
 * database keeps the times for the process that hears the gateway next.
 */
import type { Hello } from '../../../shared/uplink.js';
import type { CloudStore, Db } from '../../kernel/store/entry.js';
import { bootsOfGateways, saveBoot } from './boot-queries.js';

export interface BootClocks {
  /** Notes what was measured, in memory. @returns what keeps it in the database */
  note(gateway_id: number, hello: Pick<Hello, 'boot_id' | 'mono_ms'>, cloud_ms: number): (tx: Db) => Promise<void>;
  /** Reads what was measured of gateways that are heard from now on. */
  load(gateway_ids: readonly number[]): Promise<void>;
  /** Forgets a gateway that another process hears from now on. */
  forget(gateway_id: number): void;
  /** Returns the cloud time at which the boot's monotonic clock showed zero; null: it was never measured. */
  beganMs(gateway_id: number, boot_id: string): number | null;
  /** Returns the same for the boot that said hello last. */
  presentBeganMs(gateway_id: number): number | null;
}

const BOOTS_MAX = 8;
/** Each hello measures a little differently. */
const SAME_WITHIN_MS = 1_000;

export function createBootClocks({ store }: { store: Pick<CloudStore, 'reader'> }): BootClocks {
  const byGateway = new Map<number, Map<string, number>>();

  function remember(gateway_id: number, boot_id: string, began_ms: number): void {
    const boots = byGateway.get(gateway_id) ?? new Map<string, number>();
    byGateway.set(gateway_id, boots);
    boots.delete(boot_id);
    boots.set(boot_id, began_ms);
    for (const oldest of boots.keys()) {
      if (boots.size <= BOOTS_MAX) break;
      boots.delete(oldest);
    }
  }

  return {
    note(gateway_id, { boot_id, mono_ms }, cloud_ms) {
      const began_ms = cloud_ms - mono_ms;
      const boots = byGateway.get(gateway_id);
      const isLast = [...(boots?.keys() ?? [])].at(-1) === boot_id;
      const isSame = isLast && Math.abs((boots?.get(boot_id) ?? Infinity) - began_ms) < SAME_WITHIN_MS;
      remember(gateway_id, boot_id, began_ms);
      const boot = { gateway_id, boot_id, began_at: began_ms, noted_at: cloud_ms };
      return async (tx) => {
        if (!isSame) await saveBoot(tx, boot, BOOTS_MAX);
      };
    },
    async load(gateway_ids) {
      for (const { gateway_id, boot_id, began_at } of await bootsOfGateways(store.reader, gateway_ids)) {
        remember(gateway_id, boot_id, began_at);
      }
    },
    forget: (gateway_id) => void byGateway.delete(gateway_id),
    beganMs: (gateway_id, boot_id) => byGateway.get(gateway_id)?.get(boot_id) ?? null,
    presentBeganMs: (gateway_id) => [...(byGateway.get(gateway_id)?.values() ?? [])].at(-1) ?? null,
  };
}
