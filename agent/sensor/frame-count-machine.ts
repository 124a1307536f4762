/**
 * The order of a LoRa sensor's frames, by their count. A network server may hand over a frame late, or once more, with a time that is not that of
 * the measurement. Pure.
 */
import { z } from 'zod';
import { HOUR_MS } from '../../shared/durations.js';

export interface Frame {
  count: number;
  /** In which the device counts; '' where the network server does not say. With another one the count begins again. */
  session: string;
}

/** The frames of one session that were heard, the newest last. */
export interface HeardFrames {
  session: string;
  frames: readonly { count: number; mono_ms: number }[];
}

const FRAMES_MAX = 16;
/** A lower count that comes longer after the frame that outdates it is no copy: the device counts from the beginning again. */
const LATE_WITHIN_MS = HOUR_MS;
/** A device that counts in 16 bits begins again after 65,535: so large a step back is one forward, and the other way round. */
const STEP_MAX = 0x8000;

const countSchema = z.number().int().min(0);
const sessionSchema = z.string().max(64).nullish();
const chirpstackSchema = z.object({ fCnt: countSchema, devAddr: sessionSchema });
const ttnSchema = z.object({ uplink_message: z.object({ f_cnt: countSchema, session_key_id: sessionSchema }) });

/** The count in an uplink of ChirpStack or The Things Stack; undefined: it has none. */
export function frameOf(message: unknown): Frame | undefined {
  const { data: chirpstack } = chirpstackSchema.safeParse(message);
  if (chirpstack !== undefined) return { count: chirpstack.fCnt, session: chirpstack.devAddr ?? '' };
  const { data: ttn } = ttnSchema.safeParse(message);
  if (ttn === undefined) return undefined;
  const { f_cnt, session_key_id } = ttn.uplink_message;
  return { count: f_cnt, session: session_key_id ?? '' };
}

/**
 * Notes a frame that came.
 * @param heard null: none was heard yet
 * @returns null: the frame is older than one that was heard, or is that one again
 */
export function noteFrame(heard: HeardFrames | null, { count, session }: Frame, mono_ms: number): HeardFrames | null {
  const anew = { session, frames: [{ count, mono_ms }] };
  const newest = heard?.frames.at(-1);
  if (heard === null || newest === undefined || heard.session !== session) return anew;
  const step = count - newest.count;
  if (step > 0 && step < STEP_MAX) return { session, frames: [...heard.frames, { count, mono_ms }].slice(-FRAMES_MAX) };
  const isKnown = heard.frames.some((frame) => frame.count === count);
  if ((count === 0 && !isKnown) || step <= -STEP_MAX) return anew;
  const later = heard.frames.find((frame) => frame.count > count) ?? newest;
  return mono_ms - later.mono_ms > LATE_WITHIN_MS ? anew : null;
}
