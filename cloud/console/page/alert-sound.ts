/** The sounds of alerts: made by the browser itself, so that no file is fetched. */
import { signal } from '@preact/signals';
import type { AlertKind } from '../wording/browser-alerts.js';

let context: AudioContext | undefined;

/** Browsers keep a page silent until the person clicked or typed in it. */
export const isSilent = signal(false);

/** Hertz, one tone after the other. */
const TONES: Readonly<Record<AlertKind, readonly number[]>> = {
  waits: [660, 880],
  trouble: [440, 330],
  plate: [880, 880, 1_175],
  emergency: [988, 740, 988, 740, 988, 740],
};
const TONE_S = 0.16;
const LOUDNESS = 0.2;
/** A tone that begins or ends at once clicks. */
const FADE_S = 0.02;

/** Plays the sound of a kind once; where the browser does not allow it, it stays silent. */
export async function playSound(kind: AlertKind): Promise<void> {
  context ??= new AudioContext();
  // It waits for a click where the person has not touched the page yet, and what happened then is old.
  if (context.state === 'suspended') await Promise.race([context.resume(), soon()]);
  isSilent.value = context.state !== 'running';
  if (isSilent.value) return;
  for (const [at, frequency] of TONES[kind].entries()) playTone(context, frequency, context.currentTime + at * TONE_S);
}

function playTone(audio: AudioContext, frequency: number, begins: number): void {
  const tone = new OscillatorNode(audio, { frequency, type: 'triangle' });
  const loudness = new GainNode(audio, { gain: 0 });
  const ends = begins + TONE_S;
  loudness.gain.setValueAtTime(0, begins);
  loudness.gain.linearRampToValueAtTime(LOUDNESS, begins + FADE_S);
  loudness.gain.setValueAtTime(LOUDNESS, ends - FADE_S);
  loudness.gain.linearRampToValueAtTime(0, ends);
  tone.connect(loudness).connect(audio.destination);
  tone.start(begins);
  tone.stop(ends);
}

const RESUMED_WITHIN_MS = 500;
const soon = () => new Promise<void>((resolve) => setTimeout(resolve, RESUMED_WITHIN_MS));
