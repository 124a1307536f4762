/** The words of openings: their causes, and their ends. */

/** `schedule` is for times at which products move by themselves; nothing does so yet. */
export const OPENING_CAUSES = [
  'camera',
  'key',
  'weblink',
  'person',
  'token',
  'emergency',
  'on_site',
  'schedule',
] as const;
export type OpeningCause = (typeof OPENING_CAUSES)[number];

/** `unknown`: nobody heard how it ended, such as of a gateway that was stopped meanwhile. */
export const OPENING_OUTCOMES = ['succeeded', 'failed', 'unknown'] as const;
export type OpeningOutcome = (typeof OPENING_OUTCOMES)[number];
