import type { Clock } from '../../../shared/clock.js';

/** How a display begins to take texts. */
export interface DisplayOptions {
  agentUrl: () => string | null;
  clock: Clock;
  /** Called with each text that it takes. */
  onText(text: string): void;
}
