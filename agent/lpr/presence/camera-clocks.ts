/**
 * Knows how wrong the clock of each camera is, and judges by it which reads are of now, for all drivers. The errors are kept over restarts.
 * A camera that may only have a wrong clock is asked for it, where its driver can.
 */
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { Logger } from '../../../shared/logger.js';
import { BUILT_MS } from '../../../shared/decide-device-time.js';
import { MINUTE_MS, HOUR_MS } from '../../../shared/durations.js';
import type { AgentStore } from '../../store/agent-store.js';
import type { CameraDrivers, CameraRead } from '../camera.js';
import { withinTime } from '../network/within-time.js';
import {
  type Arrival,
  behindMs,
  type CameraClock,
  isUnsure,
  type JudgedTime,
  judgeRead,
  type KeptClock,
  keptOf,
  LATE_MS,
  settled,
  type StatedTime,
  UNKNOWN_CLOCK,
} from './camera-clock-machine.js';

/** A vehicle waits for the answer. */
const ANSWER_WITHIN_MS = 3_000;
/** No camera is asked more often, so that the many reads of a buffer cost it one request. */
const ASKED_EVERY_MS = MINUTE_MS;
/** An error that moved by less is not written again, to spare the card. */
const SAME_ERROR_MS = 1_000;

type TimedRead = Pick<CameraRead, 'camera_time' | 'retransmission' | 'history'>;

/** A camera's clock, for people. */
export interface ClockReport {
  /** How far it was known to be behind before this, in milliseconds; null: it was not known. */
  was_behind_ms: number | null;
  /** How far it is behind; null: not known (yet). */
  behind_ms: number | null;
  /** The source of it: the camera, which was asked, or its last read. null: there is none. */
  by: 'camera' | 'read' | null;
}

export interface CameraClocks {
  /** Now, by the gateway's clocks. */
  arrival(): Arrival;
  /** Judges a read of a vehicle that is known already: it shows nothing of the clock. */
  peek(deviceId: string, read: TimedRead, arrival: Arrival): JudgedTime;
  /** Judges the first read of a vehicle, and learns from it. */
  judge(deviceId: string, read: TimedRead, arrival: Arrival): JudgedTime;
  /**
   * Asks the camera for its clock where this read may be late only by that. The promise resolves when the answer is known, or when none came in
   * time; it never rejects. null: the read need not wait.
   */
  ask(camera: CameraItem, read: TimedRead, arrival: Arrival): Promise<void> | null;
  /**
   * Forgets what is known of a clock, and asks the camera for it.
   * @param options.isLastLive the last read that counted as late was of now, so that the difference is the clock's
   */
  measure(camera: CameraItem, options: { isLastLive: boolean }): Promise<ClockReport>;
  /** Forgets what is known of a clock, because it was set. */
  forget(deviceId: string): void;
  /** Ends the questions under way. */
  close(): Promise<void>;
}

export interface CameraClocksDeps {
  store: Pick<AgentStore, 'saveCameraClock'> & { boot: Pick<AgentStore['boot'], 'camera_clocks'> };
  drivers: CameraDrivers;
  clock: Clock;
  /** Whether the gateway knows the time. */
  clockOk: () => boolean;
  logger: Logger;
}

export function createCameraClocks(deps: CameraClocksDeps): CameraClocks {
  const { clock } = deps;
  const { clockOf, set, begin } = createKnownClocks(deps);
  const { canAsk, readDifference, close } = createClockQuestions(deps);
  /** The questions for whose answers reads wait. */
  const awaited = new Map<string, Promise<void>>();
  const arrival = (): Arrival => ({
    wall_ms: clock.now(),
    mono_ms: clock.monotonic(),
    is_clock_known: deps.clockOk(),
  });

  /** Takes the answer of a camera. Where another error was seen lately, it counts only if the late read agrees with it. */
  async function learnByAsking(camera: CameraItem, late_ms: number): Promise<void> {
    const { device_id } = camera;
    const difference_ms = await readDifference(camera);
    if (difference_ms === null) return;
    const at = arrival();
    const isAgreed = Math.abs(late_ms - difference_ms) <= LATE_MS;
    if (isUnsure(clockOf(device_id), at) || isAgreed) set(device_id, settled(difference_ms, at), at);
  }

  return {
    arrival,
    peek: (deviceId, read, at) => judgeRead(clockOf(deviceId), statedTime(read), at).judged,
    judge(deviceId, read, at) {
      const { judged, clock: next } = judgeRead(clockOf(deviceId), statedTime(read), at);
      set(deviceId, next, at);
      return judged;
    },
    ask(camera, read, at) {
      const { device_id } = camera;
      const underWay = awaited.get(device_id);
      if (underWay !== undefined) return underWay;
      if (!canAsk(camera)) return null;
      const { judged } = judgeRead(clockOf(device_id), statedTime(read), at);
      if (!judged.is_late_by_clock || judged.camera_ms === null) return null;
      const asked = learnByAsking(camera, at.mono_ms - judged.camera_ms);
      if (!isUnsure(clockOf(device_id), at)) return null;
      const answered = asked.finally(() => awaited.delete(device_id));
      awaited.set(device_id, answered);
      return answered;
    },
    async measure(camera, { isLastLive }) {
      const { device_id } = camera;
      const before = clockOf(device_id);
      const { candidate } = before;
      const was_behind_ms = behindMs(before, arrival());
      if (isLastLive && candidate === null)
        throw new Error('its last read did not count as late: there is no difference to take for its clock');
      // The last late read stays, so that the next one that agrees with it settles the error.
      begin(device_id, { ...UNKNOWN_CLOCK, candidate });
      const difference_ms = isLastLive ? (candidate?.difference_ms ?? null) : await readDifference(camera);
      const at = arrival();
      if (difference_ms !== null) set(device_id, settled(difference_ms, at), at);
      const by = difference_ms === null ? null : isLastLive ? 'read' : 'camera';
      return { was_behind_ms, behind_ms: behindMs(clockOf(device_id), at), by };
    },
    forget: (deviceId) => begin(deviceId, UNKNOWN_CLOCK),
    async close() {
      close();
      await Promise.all(awaited.values());
    },
  };
}

/** The clocks in memory, and in the store over restarts. */
function createKnownClocks({ store, logger }: Pick<CameraClocksDeps, 'store' | 'logger'>) {
  const clocks = new Map<string, CameraClock>();
  const saved = new Map<string, KeptClock>(
    store.boot.camera_clocks.map(({ device_id, ...kept }) => [device_id, kept] as const),
  );

  function write(device_id: string, kept: KeptClock | null): void {
    if (kept === null) saved.delete(device_id);
    else saved.set(device_id, kept);
    // Decisions go by what is in memory. A row that the store refuses is written with the next read.
    store.saveCameraClock(device_id, kept).catch((error: unknown) => {
      saved.delete(device_id);
      logger.warn({ err: error, camera: device_id }, "the error of a camera's clock could not be kept");
    });
  }

  return {
    clockOf: (deviceId: string): CameraClock =>
      clocks.get(deviceId) ?? { ...UNKNOWN_CLOCK, kept: saved.get(deviceId) ?? null },
    set(device_id: string, next: CameraClock, at: Arrival): void {
      clocks.set(device_id, next);
      const kept = keptOf(next, at);
      if (kept === null) return;
      const before = saved.get(device_id);
      const isSame =
        before !== undefined &&
        Math.abs(before.behind_ms - kept.behind_ms) < SAME_ERROR_MS &&
        Math.abs(kept.confirmed_ms - before.confirmed_ms) < HOUR_MS;
      if (!isSame) write(device_id, kept);
    },
    /** Begins anew, and keeps nothing of before. */
    begin(device_id: string, clock: CameraClock): void {
      clocks.set(device_id, clock);
      write(device_id, null);
    },
  };
}

function createClockQuestions({ clock, drivers }: Pick<CameraClocksDeps, 'clock' | 'drivers'>) {
  const closing = new AbortController();
  const askedAt = new Map<string, number>();
  const readOf = ({ driver, address }: CameraItem) => (address === '' ? undefined : drivers.get(driver)?.readClock);
  return {
    canAsk: (camera: CameraItem): boolean =>
      readOf(camera) !== undefined &&
      clock.monotonic() - (askedAt.get(camera.device_id) ?? -Infinity) >= ASKED_EVERY_MS,
    /** Resolves with the difference of the camera's clock on the monotonic clock; null: the camera does not say. Never rejects. */
    async readDifference(camera: CameraItem): Promise<number | null> {
      const read = readOf(camera);
      if (read === undefined) return null;
      const began_ms = clock.monotonic();
      askedAt.set(camera.device_id, began_ms);
      const limit = { clock, ms: ANSWER_WITHIN_MS, signal: closing.signal };
      const camera_ms = await withinTime(limit, (signal) => read(camera, signal)).catch(() => null);
      // The camera answered somewhere between the question and the answer.
      return camera_ms === null || camera_ms < BUILT_MS ? null : (began_ms + clock.monotonic()) / 2 - camera_ms;
    },
    close: (): void => closing.abort(new Error('the agent stops')),
  };
}

function statedTime({ camera_time, retransmission, history }: TimedRead): StatedTime {
  return {
    camera_ms: camera_time?.epoch_ms ?? null,
    again_ms: camera_time?.again_ms,
    mark: history === true ? 'history' : retransmission ? 'retransmission' : null,
  };
}
