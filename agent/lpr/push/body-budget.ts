/**
 * Bounds how many bytes of pushes the gateway holds at once, over all connections: a push reserves its body before any of it is read.
 * A camera has only a part of it, so that the pushes of one never keep out those of the others. While somebody waits for room, bodies
 * that come slower than over any bad link are cut, the longest held first: their room would be taken for as long as their sender likes.
 */
import type { Clock, Timer } from '../../../shared/clock.js';

const BYTES_MAX = 32 * 1024 * 1024;
/** The largest push fits in once. */
const BYTES_PER_CAMERA_MAX = 8 * 1024 * 1024;
const WAIT_MS = 5_000;
const WAITING_MAX = 32;
const WAITING_PER_CAMERA_MAX = 4;
/** A body may need so long for nothing, and so long for each byte: 0.5 Mbit/s. All that wait for a camera's part have their turn in time. */
const GRACE_MS = 1_000;
const BYTES_PER_MS_MIN = 64;
/** How often is looked which body comes too slowly, while somebody waits. */
const LOOK_MS = 100;

export interface BodyReservation {
  /** Makes the reservation larger, for a body whose length was not declared; false: there is no room for it. */
  growTo(bytes: number): boolean;
  /** So many bytes of the body are there. */
  arrived(bytes: number): void;
  /** All of the body is there: it is not cut any more. */
  isWhole(): void;
  /** Idempotent. */
  release(): void;
}

export interface BodyBudget {
  /**
   * The reservation: at once where there is room, else when there is, in the order of asking; null: there was none within 5 s, or too many
   * wait.
   * @param cut called at most once, when the body comes too slowly: to be released as soon as nothing more is read of it. Left out: it
   * is never cut
   */
  reserve(cameraDeviceId: string, bytes: number, cut?: () => void): BodyReservation | Promise<BodyReservation | null>;
  bytesInFlight(): number;
}

interface Waiting {
  cameraDeviceId: string;
  bytes: number;
  cut: (() => void) | undefined;
  settle: (reservation: BodyReservation | null) => void;
  timer: Timer;
}

/** A body that is being read. */
interface Arriving {
  cameraDeviceId: string;
  /** Monotonic milliseconds. */
  sinceMs: number;
  bytes: number;
  cut: () => void;
}

export function createBodyBudget(deps: {
  clock: Clock;
  limits?: { bytesMax: number; bytesPerCameraMax: number };
}): BodyBudget {
  const { bytesMax, bytesPerCameraMax } = deps.limits ?? {
    bytesMax: BYTES_MAX,
    bytesPerCameraMax: BYTES_PER_CAMERA_MAX,
  };
  let inFlight = 0;
  /** Only cameras with a body in flight are in it. */
  const byCamera = new Map<string, number>();
  let waiting: Waiting[] = [];
  /** The longest held first. */
  const arriving = new Set<Arriving>();
  let looking: Timer | undefined;

  const fitsCamera = (camera: string, bytes: number) => (byCamera.get(camera) ?? 0) + bytes <= bytesPerCameraMax;
  const fits = (camera: string, bytes: number) => inFlight + bytes <= bytesMax && fitsCamera(camera, bytes);

  function add(camera: string, bytes: number): void {
    inFlight += bytes;
    const held = (byCamera.get(camera) ?? 0) + bytes;
    if (held === 0) byCamera.delete(camera);
    else byCamera.set(camera, held);
  }

  const isLate = ({ sinceMs, bytes }: Arriving) =>
    deps.clock.monotonic() - sinceMs > GRACE_MS + bytes / BYTES_PER_MS_MIN;

  /** One at a time: its room may be enough. */
  function cutLate(): void {
    const isShortForAll = waiting.some(({ cameraDeviceId, bytes }) => fitsCamera(cameraDeviceId, bytes));
    const isWanted = ({ cameraDeviceId }: Arriving) =>
      isShortForAll || waiting.some((entry) => entry.cameraDeviceId === cameraDeviceId);
    for (const one of arriving) {
      if (!isLate(one) || !isWanted(one)) continue;
      arriving.delete(one);
      one.cut();
      return;
    }
  }

  /** Goes on for as long as anybody waits. */
  function look(): void {
    looking?.cancel();
    looking = undefined;
    if (waiting.length === 0) return;
    looking = deps.clock.setTimer(LOOK_MS, () => {
      cutLate();
      look();
    });
  }

  function reservationOf({
    cameraDeviceId: camera,
    bytes: first,
    cut,
  }: Omit<Waiting, 'settle' | 'timer'>): BodyReservation {
    let reserved = first;
    let isReleased = false;
    const body: Arriving = {
      cameraDeviceId: camera,
      sinceMs: deps.clock.monotonic(),
      bytes: 0,
      cut: cut ?? (() => {}),
    };
    if (cut !== undefined) arriving.add(body);
    add(camera, first);
    return {
      growTo(bytes) {
        const more = Math.max(0, bytes - reserved);
        if (isReleased || !fits(camera, more)) return false;
        add(camera, more);
        reserved += more;
        return true;
      },
      arrived: (bytes) => void (body.bytes = bytes),
      isWhole: () => void arriving.delete(body),
      release() {
        if (isReleased) return;
        isReleased = true;
        arriving.delete(body);
        add(camera, -reserved);
        grantWaiting();
      },
    };
  }

  /** Who waits for its own camera is passed by; nobody passes by who waits for the others. */
  function grantWaiting(): void {
    const remaining: Waiting[] = [];
    for (const [index, entry] of waiting.entries()) {
      const { cameraDeviceId, bytes, settle, timer } = entry;
      if (fits(cameraDeviceId, bytes)) {
        timer.cancel();
        settle(reservationOf(entry));
      } else if (fitsCamera(cameraDeviceId, bytes)) {
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
      const ofCamera = waiting.filter((entry) => entry.cameraDeviceId === cameraDeviceId).length;
      if (waiting.length >= WAITING_MAX || ofCamera >= WAITING_PER_CAMERA_MAX) return Promise.resolve(null);
      if (waiting.length === 0 && fits(cameraDeviceId, bytes)) return reservationOf({ cameraDeviceId, bytes, cut });
      return new Promise((settle) => {
        const timer = deps.clock.setTimer(WAIT_MS, () => {
          waiting = waiting.filter((entry) => entry.timer !== timer);
          settle(null);
          grantWaiting();
        });
        waiting.push({ cameraDeviceId, bytes, cut, settle, timer });
        grantWaiting();
      });
    },
    bytesInFlight: () => inFlight,
  };
}
