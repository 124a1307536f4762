/** Records as a gateway sends them. */
import { randomBytes } from 'node:crypto';
import type { EventId, Uid } from '../../../shared/ids.js';
import type {
  ImageRecord,
  OutboxEpoch,
  PlateReadingRecord,
  PlateReadRecord,
  PlateRefinedRecord,
  RecordBatch,
  RecordPayload,
  UplinkRecord,
} from '../../../shared/uplink.js';
import { newUid, NOON_MS, readingOf } from '../../world/agent-records.js';
import type { LinkSite } from '../gateway/link-site.js';

export { newUid, NOON_MS };
export const newOutboxEpoch = (): OutboxEpoch => randomBytes(16).toString('hex') as OutboxEpoch;

/** The smallest thing that passes for a JPEG. */
export const JPEG = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);

export const BOOT = newUid();

export function recordOf(seq: number, payload: unknown, more: Partial<UplinkRecord> = {}): UplinkRecord {
  return { seq, uid: newUid(), boot_id: BOOT, mono_ms: 1_000, wall_ms: NOON_MS, clock_ok: true, payload, ...more };
}

export function batchOf(epoch: OutboxEpoch, lane: 0 | 1 | 2, records: UplinkRecord[]): RecordBatch {
  return { epoch, lane, records };
}

/** The same as it travels; its records may be anything. */
export function wireBatch(epoch: OutboxEpoch, lane: 0 | 1 | 2, records: unknown[]): Uint8Array {
  return Buffer.from(JSON.stringify({ epoch, lane, records }));
}

interface ReadOptions {
  reading?: Partial<PlateReadingRecord>;
  read?: Partial<Omit<PlateReadRecord, 'reading' | 'kind'>>;
}

/** A car that is let in by the zone's tariff: a session begins and the barrier opens. */
export function entryRead(site: LinkSite, options: ReadOptions = {}): PlateReadRecord {
  return {
    kind: 'plate_read',
    reading: readingOf({
      lpr_camera_id: site.entryCamera,
      zone_id: site.zone,
      confidence: 0.93,
      make: 'Skoda',
      event_ms: NOON_MS - 60_000,
      time_source: 'device',
      ...options.reading,
    }),
    access_decision: 'triggered',
    access_decision_reason: 'tariff',
    session: { effect: 'begin', session_uid: newUid(), ended_session_uid: null },
    lot_entry: { is_allowed: true },
    opening: { event_id: 'deadbeef' as EventId, product_id: site.barrier },
    ...options.read,
  };
}

/** The same car leaving: its session ends. */
export function exitRead(site: LinkSite, session_uid: Uid | null, options: ReadOptions = {}): PlateReadRecord {
  return entryRead(site, {
    reading: {
      lpr_camera_id: site.exitCamera,
      direction: 'out',
      lpr_camera_direction: 'out',
      event_ms: NOON_MS - 1_000,
      ...options.reading,
    },
    read: {
      access_decision: 'triggered',
      access_decision_reason: 'session_exit',
      session: session_uid === null ? null : { effect: 'end', session_uid, look_alike: false },
      opening: { event_id: 'deadbee5' as EventId, product_id: site.gate },
      ...options.read,
    },
  });
}

/** The session that a read names. */
export function sessionOf({ session }: PlateReadRecord): Uid {
  if (session === null) throw new Error('the read names no session');
  return session.session_uid;
}

/** What a read of a vehicle that is not let through has beside its reading. */
export const deniedRead = (access_decision_reason: PlateReadRecord['access_decision_reason']) =>
  ({
    access_decision: 'denied',
    access_decision_reason,
    session: null,
    lot_entry: { is_allowed: false },
    opening: null,
  }) as const;

/** What a read that comes late has: it is accounted, and nothing is decided. */
export const LATE = { access_decision: null, access_decision_reason: null, opening: null } as const;

/** What was decided of a read, as a refinement of it says it. */
export function decisionOf({ kind: _kind, reading: _reading, ...decided }: PlateReadRecord) {
  return decided;
}

/** The camera saw the vehicle of `read` better; `decided` again, or not. */
export function refinementOf(
  reading_uid: Uid,
  read: PlateReadRecord,
  refined: { refinement?: number; reading?: Partial<PlateReadingRecord>; decided?: PlateRefinedRecord['decided'] } = {},
): PlateRefinedRecord {
  const reading = { ...read.reading, confidence: 0.99, images: [], ...refined.reading };
  const { refinement = 1, decided = null } = refined;
  return { kind: 'plate_refined', reading_uid, refinement, reading, decided };
}

export function imagePayload(owner_uid: Uid, more: Partial<ImageRecord> = {}): RecordPayload {
  return {
    kind: 'image',
    owner_uid,
    role: 'full',
    mime: 'image/jpeg',
    data: Buffer.from(JPEG).toString('base64'),
    ...more,
  };
}

export function openingResult(reading_uid: Uid, site: LinkSite): RecordPayload {
  return {
    kind: 'opening_result',
    reading_uid,
    event_id: 'deadbeef' as EventId,
    product_id: site.barrier,
    outcome: 'succeeded',
    gateway_error_type: null,
  };
}

export function sighting(site: LinkSite): RecordPayload {
  return {
    kind: 'sighting',
    lpr_camera_id: site.entryCamera,
    zone_id: site.zone,
    direction: 'in',
    event_ms: NOON_MS - 5_000,
    images: [{ uid: newUid(), role: 'full' }],
  };
}
