/**
 * The open sessions of the lot as this gateway knows them: the `sessions` section of the configuration, overlaid by what the
 * gateway decided itself. An own decision counts until the cloud says that the section contains it (`applied`).
 */
import type { SessionItem } from '../../shared/gateway-config.js';
import type { Uid } from '../../shared/ids.js';
import { foldPlate, matchExit } from '../../shared/plate/match-plate.js';
import { normalisePlate } from '../../shared/plate/normalise-plate.js';
import type { OutboxEpoch } from '../../shared/uplink.js';
import type { SessionChange, SessionOverlay } from '../store/agent-store.js';
import { keepNewest } from '../../shared/keep-newest.js';

/** How long a vehicle may still leave after a look-alike plate ended its session. */
export const ENDED_BY_LOOK_ALIKE_MS = 24 * 3_600_000;
/** How many ended sessions are remembered. */
const ENDED_MAX = 10_000;

/** An open session. `plate` is normalised. */
export interface OpenSession {
  uid: Uid;
  plate: string;
  fold: string;
  zone_id: number;
  began_ms: number;
}

/** The effect of one of the gateway's own decisions on a session. */
export interface OwnChange extends SessionChange {
  ended_by_look_alike: boolean;
}

/** A change of the `sessions` section, its items already parsed. */
export interface SessionsUpdate {
  snapshot: boolean;
  upsert: SessionItem[];
  remove: string[];
  applied: { epoch: OutboxEpoch; seq: number } | null;
}

interface Overlay {
  change: OwnChange;
  /** null: not committed yet. */
  seq: number | null;
}

export interface OpenSessions {
  /** Loads what the store kept. Call it once, after the items of the section. */
  load(overlays: SessionOverlay[]): void;
  /**
   * Sets the outbox epoch in which own records are numbered. Call it once at the start and after each new outbox epoch. A new
   * one numbers from 1 again what the cloud had not acknowledged: all of lane 0 above `acknowledgedSeq`, which means nothing at
   * the start.
   */
  setOutboxEpoch(epoch: OutboxEpoch, acknowledgedSeq: number): void;
  update(update: SessionsUpdate): void;
  /** Applies an own decision, which counts at once, before it is on disk. */
  change(change: OwnChange): void;
  /** Notes that the record with these changes was stored as `seq`. A session that changed again since waits for its own record. */
  committed(changes: OwnChange[], seq: number): void;
  /** The newest open session of a normalised plate. */
  own(plate: string): OpenSession | null;
  /** The only open session whose plate looks like this one, if the plate itself has no session. */
  lookAlike(plate: string): OpenSession | null;
  endedByLookAlike(plate: string, nowMs: number): boolean;
  /** How many open sessions of the zone began after `sinceMs`. */
  occupied(zoneId: number, sinceMs: number): number;
  readonly size: number;
}

export function createOpenSessions(): OpenSessions {
  const section = new Map<Uid, SessionItem>();
  const ownChanges = createOwnChanges();
  const open = createSessionIndex();
  const ended = createEndedPlates();

  /** Works out again what one session is, after its section item or the gateway's own change of it changed. */
  function refresh(uid: Uid): void {
    open.delete(uid);
    const own = ownChanges.of(uid);
    const known = own ?? section.get(uid);
    if (known === undefined) return;
    // The store or the cloud may be of a version that compares plates in another form.
    const plate = normalisePlate(known.plate);
    if (known.ended_ms !== null) {
      // The section keeps ended sessions only when a look-alike ended them.
      if (own === undefined || own.ended_by_look_alike) ended.add(plate, known.ended_ms);
      return;
    }
    const { zone_id, began_ms } = known;
    open.add({ uid, plate, fold: foldPlate(plate), zone_id, began_ms });
  }

  return {
    load(stored) {
      for (const { seq, ...change } of stored) {
        // The store does not know who ended a session. All count as ended by a look-alike, so that a restart keeps no vehicle inside.
        ownChanges.put({ ...change, ended_by_look_alike: change.ended_ms !== null }, seq);
        refresh(change.uid);
      }
    },
    setOutboxEpoch: ownChanges.setOutboxEpoch,
    update(update) {
      const touched = new Set<Uid>();
      if (update.snapshot) {
        for (const uid of section.keys()) touched.add(uid);
        section.clear();
      }
      for (const key of update.remove) {
        const uid = key as Uid;
        section.delete(uid);
        touched.add(uid);
      }
      for (const item of update.upsert) {
        section.set(item.uid, item);
        touched.add(item.uid);
      }
      for (const uid of ownChanges.dropApplied(update.applied)) touched.add(uid);
      for (const uid of touched) refresh(uid);
    },
    change(change) {
      ownChanges.put(change, null);
      refresh(change.uid);
    },
    committed: ownChanges.committed,
    own: open.own,
    lookAlike: open.lookAlike,
    endedByLookAlike(plate, nowMs) {
      const endedMs = ended.at(plate);
      return endedMs !== undefined && nowMs - endedMs <= ENDED_BY_LOOK_ALIKE_MS;
    },
    occupied: open.occupied,
    get size() {
      return open.size();
    },
  };
}

/** The gateway's own changes, each until the cloud's section contains it. */
function createOwnChanges() {
  const overlays = new Map<Uid, Overlay>();
  let outboxEpoch: OutboxEpoch | null = null;
  let applied: SessionsUpdate['applied'] = null;

  function isApplied({ seq }: Overlay): boolean {
    return seq !== null && applied !== null && applied.epoch === outboxEpoch && seq <= applied.seq;
  }

  return {
    of: (uid: Uid) => overlays.get(uid)?.change,
    /** @param seq of the record that carries the change; null: not committed yet */
    put(change: OwnChange, seq: number | null): void {
      overlays.set(change.uid, { change, seq });
    },
    committed(changes: OwnChange[], seq: number): void {
      for (const change of changes) {
        const overlay = overlays.get(change.uid);
        if (overlay?.change === change) overlay.seq = seq;
      }
    },
    setOutboxEpoch(current: OutboxEpoch, acknowledgedSeq: number): void {
      if (outboxEpoch !== null && outboxEpoch !== current) {
        for (const overlay of overlays.values()) {
          if (overlay.seq !== null) overlay.seq = Math.max(0, overlay.seq - acknowledgedSeq);
        }
      }
      outboxEpoch = current;
    },
    /**
     * Drops the changes that the cloud's section contains, and returns their sessions.
     * @param latest up to which record the cloud has applied them; null: nothing new is known
     */
    dropApplied(latest: SessionsUpdate['applied']): Uid[] {
      if (latest !== null) applied = latest;
      const dropped = [...overlays].filter(([, overlay]) => isApplied(overlay)).map(([uid]) => uid);
      for (const uid of dropped) overlays.delete(uid);
      return dropped;
    },
  };
}

/** The open sessions, found by uid, plate and zone. */
function createSessionIndex() {
  const byUid = new Map<Uid, OpenSession>();
  const byPlate = new Map<string, Set<OpenSession>>();
  const byZone = new Map<number, Set<OpenSession>>();
  return {
    add(session: OpenSession): void {
      byUid.set(session.uid, session);
      addTo(byPlate, session.plate, session);
      addTo(byZone, session.zone_id, session);
    },
    delete(uid: Uid): void {
      const session = byUid.get(uid);
      if (session === undefined) return;
      byUid.delete(uid);
      dropFrom(byPlate, session.plate, session);
      dropFrom(byZone, session.zone_id, session);
    },
    own(plate: string): OpenSession | null {
      const sessions = byPlate.get(plate);
      return sessions === undefined ? null : (matchExit(plate, sessions)?.session ?? null);
    },
    lookAlike(plate: string): OpenSession | null {
      const match = matchExit(plate, byUid.values());
      return match?.kind === 'look_alike' ? match.session : null;
    },
    occupied(zoneId: number, sinceMs: number): number {
      let count = 0;
      for (const session of byZone.get(zoneId) ?? []) if (session.began_ms > sinceMs) count++;
      return count;
    },
    size: () => byUid.size,
  };
}

/** Remembers when look-alikes ended the sessions of plates. It forgets the oldest beyond its bound. */
function createEndedPlates() {
  const endedMsOf = new Map<string, number>();
  return {
    add(plate: string, endedMs: number): void {
      const latest = Math.max(endedMs, endedMsOf.get(plate) ?? 0);
      endedMsOf.delete(plate);
      endedMsOf.set(plate, latest);
      keepNewest(endedMsOf, ENDED_MAX);
    },
    at: (plate: string) => endedMsOf.get(plate),
  };
}

/** The change that ends a session at the time of a read. @param eventMs whole wall milliseconds */
export function endedAsOf(session: OpenSession, eventMs: number, byLookAlike: boolean): OwnChange {
  const { uid, plate, zone_id, began_ms } = session;
  // The clocks of two cameras may differ, but no session may end before it began.
  return { uid, plate, zone_id, began_ms, ended_ms: Math.max(began_ms, eventMs), ended_by_look_alike: byLookAlike };
}

/** Picks the columns that are stored. */
export function storedChange({ uid, plate, zone_id, began_ms, ended_ms }: SessionChange): SessionChange {
  return { uid, plate, zone_id, began_ms, ended_ms };
}

function addTo<Key>(index: Map<Key, Set<OpenSession>>, key: Key, session: OpenSession): void {
  const sessions = index.get(key);
  if (sessions === undefined) index.set(key, new Set([session]));
  else sessions.add(session);
}

function dropFrom<Key>(index: Map<Key, Set<OpenSession>>, key: Key, session: OpenSession): void {
  const sessions = index.get(key);
  sessions?.delete(session);
  if (sessions?.size === 0) index.delete(key);
}
