import type { Clock } from '../../shared/clock.js';
import type { GatewayUuid } from '../../shared/ids.js';
import { errorBits } from '../../shared/product-protocol/status-block.js';
import type { AccessRules } from '../access/access-rules.js';
import type { Displays } from '../display/displays.js';
import type { CameraProber } from '../lpr/presence/camera-prober.js';
import type { CameraStates } from '../lpr/presence/camera-states.js';
import type { ProductWatch } from '../product/product-watch.js';
import type { RadioHealth } from '../product/radio-health.js';
import type { Sensors } from '../sensor/sensors.js';
import type { OutboxState, StoreHealth } from '../store/agent-store.js';
import { recordsIn } from '../store/count-waiting.js';
import { keyFaultOf, passageOf, problemOf } from './product-condition.js';
import type { UpdateView } from '../update/updates.js';
import type { CameraStatus, ProductStatus } from './status-rows.js';
import type { GatewayStatus } from './status.js';
import type { TroubleTimes } from './trouble-times.js';
import { daysLeft, isCredentialLow } from '../../shared/troubles/rules.js';

/** The sources of the status. */
export interface StatusSources {
  version: string;
  uuid: GatewayUuid;
  cloud: GatewayStatus['cloud'];
  claim: GatewayStatus['claim'];
  radio: RadioHealth;
  /** Wall milliseconds, or null while the time is not known. */
  knownTimeMs: number | null;
  clock: Clock;
  startedMonoMs: number;
  store: StoreHealth;
  /** null: the store is broken and does not answer. */
  outbox: OutboxState | null;
  /** Since when each read under way waits, monotonic milliseconds, the oldest first. */
  readsSinceMs: readonly number[];
  troubleTimes: Pick<TroubleTimes, 'wrongForS'>;
  rules: AccessRules;
  watch: ProductWatch;
  cameras: CameraStates;
  prober: Pick<CameraProber, 'status' | 'problem'>;
  sensors: Pick<Sensors, 'list'>;
  displays: Pick<Displays, 'list'>;
  update: UpdateView | null;
}

export function buildStatus(sources: StatusSources): GatewayStatus {
  const { rules, clock, outbox, store, knownTimeMs } = sources;
  const gateway = rules.gateway();
  return {
    version: sources.version,
    uuid: sources.uuid,
    name: gateway?.name ?? null,
    lot: gateway?.lot_name ?? null,
    uptime_s: Math.round((clock.monotonic() - sources.startedMonoMs) / 1000),
    cloud: sources.cloud,
    claim: sources.claim,
    radio: sources.radio,
    clock: { known: knownTimeMs !== null, now: new Date(knownTimeMs ?? clock.now()).toISOString() },
    store: { path: store.path, bytes: store.file_bytes, quarantined: store.quarantined, failed: store.failed },
    outbox: {
      pending: outbox === null ? null : recordsIn(outbox),
      lanes: outbox === null ? [] : outbox.lanes.map(({ lane, rows, bytes }) => ({ lane, rows, bytes })),
    },
    wrong_for_s: sources.troubleTimes.wrongForS(),
    reads: readsOf(sources),
    products: productRows(sources),
    cameras: cameraRows(sources),
    parking_gateways: sources.sensors.list(),
    displays: sources.displays.list(),
    update: sources.update,
  };
}

function readsOf({ readsSinceMs, clock }: StatusSources): GatewayStatus['reads'] {
  const [oldestMs] = readsSinceMs;
  const oldest_s = oldestMs === undefined ? null : Math.round((clock.monotonic() - oldestMs) / 1000);
  return { under_way: readsSinceMs.length, oldest_s };
}

function productRows({ rules, watch, knownTimeMs }: StatusSources): ProductStatus[] {
  const autonomyDays = rules.gateway()?.autonomy_days ?? 0;
  const reports = new Map(watch.reports().map((report) => [report.device_id, report]));
  return [...rules.products()].map(({ device_id, name, type, pairing }) => {
    const report = reports.get(device_id);
    const seenAgoMs = report?.seen_ago_ms ?? null;
    const days = pairing === null || knownTimeMs === null ? null : daysLeft(pairing.expires_ms, knownTimeMs);
    const facts = {
      device_id,
      name,
      type,
      paired: pairing !== null,
      status: report?.status ?? 'offline',
      state: report?.state ?? null,
      permanent_position: report?.permanent_position ?? null,
      key_fault: keyFaultOf(report?.unproven?.advertisement_data, watch.refusesKey(device_id)),
      errors: trueNames(errorBits(report?.errors ?? 0)),
      rssi: report?.rssi ?? null,
      battery: report?.battery_status ?? null,
      seen_ago_s: seenAgoMs === null ? null : Math.round(seenAgoMs / 1000),
      credential_days_left: days,
      is_credential_low: days !== null && isCredentialLow(days, autonomyDays),
      clock_off_s: report?.wrong_clock?.off_s ?? null,
    } satisfies Partial<ProductStatus>;
    return { ...facts, passage: passageOf(facts), problem: problemOf(facts) };
  });
}

const trueNames = <Name extends string>(flags: Record<Name, boolean>): Name[] =>
  (Object.keys(flags) as Name[]).filter((name) => flags[name]);

function cameraRows({ rules, cameras, prober }: StatusSources): CameraStatus[] {
  const states = new Map(cameras.list().map((state) => [state.device_id, state]));
  return [...rules.cameras()].map(({ device_id, name, driver, push_without_key }) => {
    const state = states.get(device_id);
    const behindMs = state?.clock_behind_ms ?? null;
    return {
      device_id,
      name,
      driver,
      push_without_key,
      status: prober.status(device_id),
      last_seen: state === undefined ? null : new Date(state.last_seen_ms).toISOString(),
      clock_behind_s: behindMs === null ? null : Math.round(behindMs / 1000),
      clock_is_drifting: state?.is_drifting ?? false,
      problem: prober.problem(device_id),
    };
  });
}
