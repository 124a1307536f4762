/** Records that are well formed and claim what cannot be so: what exists already, what is another's, what is gone. They judge nothing. */
import type { DoctorReport } from '../../shared/doctor/report.js';
import type { EventId, Uid } from '../../shared/ids.js';
import type { Lane, LocalActionRecord, PlateReadRecord, RecordPayload, UplinkRecord } from '../../shared/uplink.js';

/** The things of others that the attacker knows. */
export interface KnownToAttacker {
  /** A read of a camera of the attacker's lot, as an honest gateway would send it. */
  read: PlateReadRecord;
  sighting: Extract<RecordPayload, { kind: 'sighting' }>;
  /** A record around a payload, with the next number. */
  record(payload: unknown, more?: Partial<UplinkRecord>): UplinkRecord;
  newUid(): Uid;
  /** Of another gateway of the lot. */
  reading: Uid;
  image: Uid;
  session: Uid;
  sessionOfOtherLot: Uid;
  productOfOtherAccount: number;
  /** So old that its uid is forgotten as a record's. */
  oldReading: Uid;
}

export interface Claim {
  lane: Lane;
  records: UplinkRecord[];
  /** How many of them cannot be so. */
  impossible: number;
}

/** No row has it. */
const GONE = 2_000_000_000;
/** No integer column holds it. */
const BEYOND = 2 ** 40;

type ReadChange = { reading?: Partial<PlateReadRecord['reading']> } & Partial<Omit<PlateReadRecord, 'reading'>>;

const changed = (read: PlateReadRecord, { reading, ...more }: ReadChange): PlateReadRecord => ({
  ...read,
  ...more,
  reading: { ...read.reading, ...reading },
});

const openingResult = (reading_uid: Uid, product_id: number): RecordPayload => ({
  kind: 'opening_result',
  reading_uid,
  event_id: 'deadbeef' as EventId,
  product_id,
  outcome: 'failed',
  gateway_error_type: null,
});

const commandResult = (product_id: number): RecordPayload => ({
  kind: 'command_result',
  event_id: 'deadbeef' as EventId,
  product_id,
  outcome: 'failed',
  gateway_error_type: null,
  authenticated: false,
  refused_late: false,
  status: null,
});

const localAction = (change: Partial<LocalActionRecord>): RecordPayload => ({
  kind: 'local_action',
  was_cut_off: true,
  plate: null,
  action: 'operation',
  by: 'console',
  address: '192.168.1.20',
  at_ms: 1,
  product_id: null,
  operation: 'open',
  event_id: null,
  sighting_uid: null,
  reading_uid: null,
  outcome: 'succeeded',
  gateway_error_type: null,
  count: 1,
  ...change,
});

const begins = (session_uid: Uid, ended_session_uid: Uid | null = null): ReadChange => ({
  session: { effect: 'begin', session_uid, ended_session_uid },
});

/** Builds a claim of lane 0 of one record that cannot be so. */
const lie =
  (payload: (known: KnownToAttacker) => unknown, lane: Lane = 0) =>
  (known: KnownToAttacker): Claim => ({ lane, records: [known.record(payload(known))], impossible: 1 });

/** By the name of the claim. */
export const HOSTILE_CLAIMS: Readonly<Record<string, (known: KnownToAttacker) => Claim>> = {
  'a picture that another gateway announced': lie(({ read, image }) =>
    changed(read, { reading: { images: [{ uid: image, role: 'full' }] } }),
  ),
  'one picture twice in a read': lie(({ read, newUid }) => {
    const uid = newUid();
    const images = (['full', 'cropped'] as const).map((role) => ({ uid, role }));
    return changed(read, { reading: { images } });
  }),
  'one picture in two reads': ({ read, newUid, record }) => {
    const images = [{ uid: newUid(), role: 'full' as const }];
    const records = ['TWO1', 'TWO2'].map((plate) => record(changed(read, { reading: { plate, images } })));
    return { lane: 0, records, impossible: 1 };
  },
  'one picture in a read and a sighting': ({ read, sighting, newUid, record }) => {
    const images = [{ uid: newUid(), role: 'full' as const }];
    const records = [record(changed(read, { reading: { images } })), record({ ...sighting, images })];
    return { lane: 0, records, impossible: 1 };
  },
  'a sighting with a picture of another gateway': lie(
    ({ sighting, image }) => ({ ...sighting, images: [{ uid: image, role: 'full' }] }),
    1,
  ),
  'a sighting that names one picture twice': lie(({ sighting, newUid }) => {
    const image = { uid: newUid(), role: 'full' };
    return { ...sighting, images: [image, image] };
  }, 1),
  'a reading that came long ago': ({ read, oldReading, record }) => ({
    lane: 0,
    records: [record(read, { uid: oldReading })],
    impossible: 1,
  }),
  // The record counts as the one that came.
  'the uid of a record of another gateway': ({ read, reading, record }) => ({
    lane: 0,
    records: [record(read, { uid: reading })],
    impossible: 0,
  }),
  // The read belongs to that session then.
  'a session that exists': ({ read, session, record }) => ({
    lane: 0,
    records: [record(changed(read, begins(session)))],
    impossible: 0,
  }),
  'one session begun by two plates': ({ read, newUid, record }) => {
    const session = newUid();
    const records = ['ONE1', 'ONE2'].map((plate) => record(changed(read, { reading: { plate }, ...begins(session) })));
    return { lane: 0, records, impossible: 0 };
  },
  'a session of another lot': lie(({ read, sessionOfOtherLot }) => changed(read, begins(sessionOfOtherLot))),
  'that it ends a session of another lot': lie(({ read, newUid, sessionOfOtherLot }) =>
    changed(read, begins(newUid(), sessionOfOtherLot)),
  ),
  'the opening of a reading of another gateway': lie(({ reading }) => openingResult(reading, 1)),
  'a refinement of a reading of another gateway': lie(({ read, reading }) => ({
    kind: 'plate_refined',
    reading_uid: reading,
    refinement: 1,
    reading: read.reading,
    decided: null,
  })),
  'a refinement whose number no column holds': ({ read, record }) => {
    const first = record(read);
    const refined = { kind: 'plate_refined', reading_uid: first.uid, refinement: BEYOND, reading: read.reading };
    return { lane: 0, records: [first, record({ ...refined, decided: null })], impossible: 1 };
  },
  'the bytes of a picture of another reading': ({ newUid, image, record }) => ({
    lane: 2,
    records: [
      record({ kind: 'image', owner_uid: newUid(), role: 'full', mime: 'image/jpeg', data: '' }, { uid: image }),
    ],
    impossible: 1,
  }),
  'a camera that is gone': lie(({ read }) => changed(read, { reading: { lpr_camera_id: GONE } })),
  'a camera that no column holds': lie(({ read }) => changed(read, { reading: { lpr_camera_id: BEYOND } })),
  'a zone that is gone': lie(({ read }) => changed(read, { reading: { zone_id: GONE } })),
  'a zone that no column holds': lie(({ sighting }) => ({ ...sighting, zone_id: BEYOND }), 1),
  // It was removed meanwhile: only the event_id of the opening is kept.
  'a product that is gone': ({ read, record }) => ({
    lane: 0,
    records: [record(changed(read, { opening: { event_id: 'deadbeef' as EventId, product_id: GONE } }))],
    impossible: 0,
  }),
  'a product that no column holds': lie(() => commandResult(BEYOND)),
  'that somebody opened a product of another account': lie(({ productOfOtherAccount }) =>
    localAction({ product_id: productOfOtherAccount }),
  ),
  'that somebody opened a product that no column holds': lie(() => localAction({ product_id: BEYOND })),
  'that somebody acted before there was time, without end': lie(() =>
    localAction({ at_ms: -1, count: Number.MAX_SAFE_INTEGER }),
  ),
  'a command that never was': lie(() => commandResult(1)),
  'a pairing that never was': lie(() => ({
    kind: 'pairing_offer',
    event_id: 'deadbeef',
    product_id: 1,
    offer: 'not base64url!',
  })),
  'a place that is gone': lie(
    () => ({ kind: 'place_change', parking_place_id: GONE, occupancy_status: 'free', event_ms: 1 }),
    1,
  ),
  'a parking gateway that is gone': lie(
    () => ({ kind: 'parking_gateway_status', parking_gateway_id: GONE, status: 'online', event_ms: 1 }),
    1,
  ),
  // They are left out, because some cameras fill their fields up with the character 0.
  'text with control characters': ({ read, record }) => ({
    lane: 0,
    records: [
      record(
        changed(read, { reading: { plate: 'NUL\0', raw_plate: '\0', make: 'a\0\ud800b', vendor_event_id: '\u001f' } }),
      ),
    ],
    impossible: 0,
  }),
};

/** By the name of the claim: what a gateway may say that `doctor` found there. */
export const HOSTILE_DOCTOR_REPORTS: Readonly<Record<string, (report: DoctorReport) => unknown>> = {
  'no report': () => 'well',
  'a time before there was any': (report) => ({ ...report, at_ms: -1 }),
  'a run without end': (report) => ({ ...report, took_ms: Number.MAX_SAFE_INTEGER }),
  'more findings than there are': ({ findings: [finding], ...report }) => ({
    ...report,
    findings: Array.from({ length: 501 }, () => finding),
  }),
  'findings of a megabyte': ({ findings: [finding], ...report }) => ({
    ...report,
    findings: Array.from({ length: 400 }, () => ({ ...finding, facts: factsOf(8, 'x'.repeat(300)) })),
  }),
  'more facts than a line has': ({ findings: [finding], ...report }) => ({
    ...report,
    findings: [{ ...finding, facts: factsOf(9, 1) }],
  }),
  'a fact that is a page': ({ findings: [finding], ...report }) => ({
    ...report,
    findings: [{ ...finding, facts: { page: 'x'.repeat(301) } }],
  }),
  'an id that is a link': ({ findings: [finding], ...report }) => ({
    ...report,
    findings: [{ ...finding, id: 'javascript:alert(1)' }],
  }),
};

const factsOf = (count: number, fact: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`fact_${n}`, fact]));
