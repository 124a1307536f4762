/** The state in which a driver finds one setting of a camera. */
import type { SetupChange, SetupPlan, SetupRequest } from '../camera.js';

export type FoundSetting =
  | { kind: 'right' }
  | { kind: 'change'; change: SetupChange }
  | { kind: 'by hand'; what: string };

export const RIGHT: FoundSetting = { kind: 'right' };
export const change = (setting: SetupChange): FoundSetting => ({ kind: 'change', change: setting });
export const byHand = (what: string): FoundSetting => ({ kind: 'by hand', what });

/** A camera's clock that is off by less is not set. */
const CLOCK_OFF_MAX_MS = 2_000;

export function planOf(found: readonly FoundSetting[]): SetupPlan {
  return {
    changes: found.flatMap((each) => (each.kind === 'change' ? [each.change] : [])),
    byHand: found.flatMap((each) => (each.kind === 'by hand' ? [each.what] : [])),
  };
}

/**
 * Decides on the camera's clock. A clock that follows a time server is not set. The change has no undo, because nobody wants a wrong clock
 * back.
 * @param known.camera_ms the time by the camera; null: its answer holds no time that is understood
 * @param known.now_ms the gateway's time; null: the gateway does not know the time
 */
export function decideClock(
  known: { camera_ms: number | null; now_ms: number | null; followsServer: boolean },
  setTo: (now_ms: number) => SetupRequest,
): FoundSetting {
  const { camera_ms, now_ms, followsServer } = known;
  if (camera_ms === null || now_ms === null)
    return byHand('check its clock: the camera or this gateway does not say the time');
  const behind_ms = now_ms - camera_ms;
  if (Math.abs(behind_ms) <= CLOCK_OFF_MAX_MS) return RIGHT;
  if (followsServer) return byHand('check its time server: its clock is wrong, although it follows one');
  const what = `clock: it is ${Math.round(Math.abs(behind_ms) / 1000)} s ${behind_ms > 0 ? 'behind' : 'ahead'}`;
  return change({ what, apply: setTo(now_ms), undo: null });
}
