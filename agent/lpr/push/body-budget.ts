/**
 * Bounds how many bytes of pushes the gateway holds at once, over all connections: a push reserves its body before any of it is read.
 * A camera has only a part of it, so that the pushes of one never keep out those of the others.
 */
import type { Clock, Timer } from '../../../shared/clock.js';

const BYTES_MAX = 32 * 1024 * 1024;
/** The largest push fits in once. */
const BYTES_PER_CAMERA_MAX = 8 * 1024 * 1024;
const WAIT_MS = 5_000;
const WAITING_MAX = 32;
const WAITING_PER_CAMERA_MAX = 4;

export interface BodyReservation {
  /** Makes the reservation larger, for a body whose length was not declared; false: there is no room for it. */
  growTo(bytes: number): boolean;
  /** Idempotent. */
  release(): void;
}

export interface BodyBudget {
  /** Resolves with the reservation when there is room, in the order of asking; null: there was none within 5 s, or too many wait. */
  reserve(cameraDeviceId: string, bytes: number): Promise<BodyReservation | null>;
  bytesInFlight(): number;
}

interface Waiting {
  cameraDeviceId: string;
  bytes: number;
  settle: (reservation: BodyReservation | null) => void;
  timer: Timer;
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

  const fitsCamera = (camera: string, bytes: number) => (byCamera.get(camera) ?? 0) + bytes <= bytesPerCameraMax;
  const fits = (camera: string, bytes: number) => inFlight + bytes <= bytesMax && fitsCamera(camera, bytes);

  function add(camera: string, bytes: number): void {
    inFlight += bytes;
    const held = (byCamera.get(camera) ?? 0) + bytes;
    if (held === 0) byCamera.delete(camera);
    else byCamera.set(camera, held);
  }

  function reservationOf(camera: string, first: number): BodyReservation {
    let reserved = first;
    let isReleased = false;
    add(camera, first);
    return {
      growTo(bytes) {
        const more = Math.max(0, bytes - reserved);
        if (isReleased || !fits(camera, more)) return false;
        add(camera, more);
        reserved += more;
        return true;
      },
      release() {
        if (isReleased) return;
        isReleased = true;
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
        settle(reservationOf(cameraDeviceId, bytes));
      } else if (fitsCamera(cameraDeviceId, bytes)) {
        remaining.push(...waiting.slice(index));
        break;
      } else {
        remaining.push(entry);
      }
    }
    waiting = remaining;
  }

  return {
    reserve(cameraDeviceId, bytes) {
      const ofCamera = waiting.filter((entry) => entry.cameraDeviceId === cameraDeviceId).length;
      if (waiting.length >= WAITING_MAX || ofCamera >= WAITING_PER_CAMERA_MAX) return Promise.resolve(null);
      return new Promise((settle) => {
        const timer = deps.clock.setTimer(WAIT_MS, () => {
          waiting = waiting.filter((entry) => entry.timer !== timer);
          settle(null);
          grantWaiting();
        });
        waiting.push({ cameraDeviceId, bytes, settle, timer });
        grantWaiting();
      });
    },
    bytesInFlight: () => inFlight,
  };
}
