/** The troubles of a gateway itself: its disk, Bluetooth, cloud, clock, queue and credentials. Pure. */
import { isAwaited, isClockOff, isQueueOld } from './rules.js';
import { type RadioState, type Subject, type Trouble, trouble } from './trouble.js';

export interface GatewayTroubleFacts {
  id: number | string;
  name: string;
  is_online: boolean;
  /** When it last was; wall milliseconds. null: never */
  online_ms: number | null;
  /** Since it was claimed, or the gateway was started. */
  expected_ms: number;
  /** Whether it has its configuration; null: not known. */
  is_configured: boolean | null;
  /** Whether there is anything that it operates over Bluetooth. */
  has_products: boolean;
  /** Its report of itself; null: none came yet. */
  health: GatewayHealthFacts | null;
  /** Whether that is of now: what one that is away last said of its disk, Bluetooth and clock is no news. */
  is_health_new: boolean;
}

export interface GatewayHealthFacts {
  is_store_failed: boolean;
  /** `state` null: not known. */
  radio: { state: RadioState | null; adapters: readonly { name: string; state: RadioState }[] };
  /** When the record was made that waits longest; null: none waits, or it is not known. */
  oldest_record_ms: number | null;
  /** Whether its clock is right; null: not known. */
  is_clock_ok: boolean | null;
  /** By how many milliseconds its clock is ahead of the cloud's; null: not known. */
  clock_off_ms: number | null;
  /** Since when each of these is wrong, wall milliseconds; null, or left out: it is not, or it is not known. */
  since_ms?: { store: number | null; radio: number | null; clock: number | null };
  /** For how many days it can operate products alone, and whether that is low; null: it operates none, or it is not known. */
  credentials: { days: number; is_low: boolean } | null;
}

/** @param gateway one that belongs to a cloud */
export function troublesOfGateway(gateway: GatewayTroubleFacts, nowMs: number): Trouble[] {
  const { id, name, is_online, online_ms, expected_ms, is_configured, health } = gateway;
  const about: Subject = { kind: 'gateway', id, name };
  const isNew = online_ms === null && isAwaited(expected_ms, nowMs);
  return [
    ...(is_online ? [] : [isNew ? trouble('awaited', about, {}, expected_ms) : alone(about, online_ms)]),
    ...(is_configured === false && !isNew ? [trouble('not_configured', about, {})] : []),
    ...(health === null ? [] : ofHealth(health, { gateway, about, nowMs })),
  ];
}

const alone = (about: Subject, online_ms: number | null): Trouble =>
  trouble('gateway_alone', about, { was_connected: online_ms !== null }, online_ms);

function ofHealth(
  health: GatewayHealthFacts,
  { gateway, about, nowMs }: { gateway: GatewayTroubleFacts; about: Subject; nowMs: number },
): Trouble[] {
  const { oldest_record_ms: oldest, credentials } = health;
  return [
    ...(gateway.is_health_new ? ofMachine(health, { gateway, about }) : []),
    ...(oldest !== null && isQueueOld(nowMs - oldest) ? [trouble('queue_old', about, {}, oldest)] : []),
    ...(credentials === null ? [] : ofCredentials(credentials, about)),
  ];
}

function ofCredentials({ days, is_low }: { days: number; is_low: boolean }, about: Subject): Trouble[] {
  if (days === 0) return [trouble('credential_over', about, {})];
  return is_low ? [trouble('credential_low', about, { days })] : [];
}

function ofMachine(
  { is_store_failed, radio, is_clock_ok, clock_off_ms, since_ms }: GatewayHealthFacts,
  { gateway, about }: { gateway: GatewayTroubleFacts; about: Subject },
): Trouble[] {
  const { state } = radio;
  const adapters = radio.adapters.filter((each) => each.state !== 'on');
  const isRadioBad = gateway.has_products && ((state !== null && state !== 'on') || adapters.length > 0);
  const isOff = clock_off_ms !== null && isClockOff(clock_off_ms);
  const off_s = isOff ? Math.round(clock_off_ms / 1_000) : null;
  return [
    ...(is_store_failed ? [trouble('store_failed', about, {}, since_ms?.store)] : []),
    ...(isRadioBad ? [trouble('radio_off', about, { state: state ?? 'unavailable', adapters }, since_ms?.radio)] : []),
    ...(isOff || is_clock_ok === false ? [trouble('clock_wrong', about, { off_s }, since_ms?.clock)] : []),
  ];
}
