/**
 * Bounds how many bytes of pushes the gateway holds at once, over all connections: a push reserves room for its body before any of it is
 * read. A camera has only a part of the room, so that the pushes of one camera never keep out those of the others. While a push waits for
 * room, bodies that arrive too slowly are cut, the longest held first: otherwise their senders could keep the room for as long as they like.
 */
import type { Clock, Timer } from '../../../shared/clock.js';
import { type CameraBytes, createCameraBytes } from '../camera-bytes.js';

const BYTES_MAX = 32 * 1024 * 1024;
/** Room for the largest push. */
const BYTES_PER_CAMERA_MAX = 8 * 1024 * 1024;
const WAIT_MS = 5_000;
const WAITING_MAX = 32;
const WAITING_PER_CAMERA_MAX = 4;
/**
 * A body is late when it takes longer than this, and the time of its bytes at 64 bytes per millisecond (0.5 Mbit/s). At that pace all pushes
 * that wait for one camera's room have their turn in time.
 */
const GRACE_MS = 1_000;
const BYTES_PER_MS_MIN = 64;
/** How often the budget looks for late bodies while a push waits. */
const LOOK_MS = 100;

export interface BodyReservation {
  /** Makes the reservation larger, for a body whose length was not declared; false: there is no room for it. */
  growTo(bytes: number): boolean;
  /** Notes how many bytes of the body have arrived. */
  arrived(bytes: number): void;
  /** Notes that the body has arrived: it is not cut any more. */
  isWhole(): void;
  /** Idempotent. */
  release(): void;
}

export interface BodyBudget {
  /**
   * Reserves room for a body: at once where there is room, else when there is, in the order of asking. null: there was none within 5 s, or
   * too many pushes wait already.
   * @param cut called at most once, when the body arrives too slowly: the reservation has to be released as soon as nothing more is read.
   * Left out: the body is never cut
   */
  reserve(cameraDeviceId: string, bytes: number, cut?: () => void): BodyReservation | Promise<BodyReservation | null>;
  bytesInFlight(): number;
}

interface Asked {
  cameraDeviceId: string;
  bytes: number;
  cut: (() => void) | undefined;
}

interface Waiting extends Asked {
  settle: (reservation: BodyReservation | null) => void;
  timer: Timer;
}

export function createBodyBudget({ clock }: { clock: Clock }): BodyBudget {
  const room = createCameraBytes({ bytesMax: BYTES_MAX, bytesPerCameraMax: BYTES_PER_CAMERA_MAX });
  const arriving = createArrivingBodies(clock);
  let waiting: Waiting[] = [];
  let looking: Timer | undefined;

  const reserveNow = (asked: Asked) => reserveRoom(asked, { room, arriving, onReleased: grantWaiting });

  /** Cuts one late body of which the room is wanted. The next one has to wait, because that room may be enough. */
  function cutLate(): void {
    const isShortForAll = waiting.some(({ cameraDeviceId, bytes }) => room.fitsCamera(cameraDeviceId, bytes));
    arriving.cutLate((camera) => isShortForAll || waiting.some(({ cameraDeviceId }) => cameraDeviceId === camera));
  }

  /** Looks for late bodies for as long as a push waits. */
  function look(): void {
    looking?.cancel();
    looking = undefined;
    if (waiting.length === 0) return;
    looking = clock.setTimer(LOOK_MS, () => {
      cutLate();
      look();
    });
  }

  /** A push that waits for room of its own camera is passed over; behind one that waits for room of all, every other push waits. */
  function grantWaiting(): void {
    const remaining: Waiting[] = [];
    for (const [index, entry] of waiting.entries()) {
      const { cameraDeviceId, bytes, settle, timer } = entry;
      if (room.fits(cameraDeviceId, bytes)) {
        timer.cancel();
        settle(reserveNow(entry));
      } else if (room.fitsCamera(cameraDeviceId, bytes)) {
        remaining.push(...waiting.slice(index));
        break;
      } else {
        remaining.push(entry);
      }
    }
    waiting = remaining;
    if (waiting.length === 0 || looking === undefined) look();
  }

  return {
    reserve(cameraDeviceId, bytes, cut) {
      const asked = { cameraDeviceId, bytes, cut };
      const ofCamera = waiting.filter((entry) => entry.cameraDeviceId === cameraDeviceId).length;
      if (waiting.length >= WAITING_MAX || ofCamera >= WAITING_PER_CAMERA_MAX) return Promise.resolve(null);
      if (waiting.length === 0 && room.fits(cameraDeviceId, bytes)) return reserveNow(asked);
      return new Promise((settle) => {
        const timer = clock.setTimer(WAIT_MS, () => {
          waiting = waiting.filter((entry) => entry.timer !== timer);
          settle(null);
          grantWaiting();
        });
        waiting.push({ ...asked, settle, timer });
        grantWaiting();
      });
    },
    bytesInFlight: room.total,
  };
}

function reserveRoom(
  { cameraDeviceId: camera, bytes: first, cut }: Asked,
  { room, arriving, onReleased }: { room: CameraBytes; arriving: ArrivingBodies; onReleased: () => void },
): BodyReservation {
  let reserved = first;
  let isReleased = false;
  const body = arriving.begin(camera, cut);
  room.add(camera, first);
  return {
    growTo(bytes) {
      const more = Math.max(0, bytes - reserved);
      if (isReleased || !room.fits(camera, more)) return false;
      room.add(camera, more);
      reserved += more;
      return true;
    },
    arrived: (bytes) => void (body.bytes = bytes),
    isWhole: () => arriving.end(body),
    release() {
      if (isReleased) return;
      isReleased = true;
      arriving.end(body);
      room.add(camera, -reserved);
      onReleased();
    },
  };
}

/** A body that is being read. */
interface ArrivingBody {
  camera: string;
  /** Monotonic milliseconds. */
  sinceMs: number;
  /** The bytes that have arrived. */
  bytes: number;
}

interface ArrivingBodies {
  /** @param cut left out: the body is never late */
  begin(camera: string, cut: (() => void) | undefined): ArrivingBody;
  end(body: ArrivingBody): void;
  /** Cuts the longest held of the late bodies of these cameras. */
  cutLate(isOf: (camera: string) => boolean): void;
}

function createArrivingBodies(clock: Clock): ArrivingBodies {
  /** The longest held body first, with how to cut it. */
  const arriving = new Map<ArrivingBody, () => void>();
  const isLate = ({ sinceMs, bytes }: ArrivingBody) =>
    clock.monotonic() - sinceMs > GRACE_MS + bytes / BYTES_PER_MS_MIN;
  return {
    begin(camera, cut) {
      const body = { camera, sinceMs: clock.monotonic(), bytes: 0 };
      if (cut !== undefined) arriving.set(body, cut);
      return body;
    },
    end: (body) => void arriving.delete(body),
    cutLate(isOf) {
      for (const [body, cut] of arriving) {
        if (!isLate(body) || !isOf(body.camera)) continue;
        arriving.delete(body);
        cut();
        return;
      }
    },
  };
}
