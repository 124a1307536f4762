import type { Clock } from '../../../shared/clock.js';

/** Options of every simulated display. */
export interface DisplayOptions {
  agentUrl: () => string | null;
  clock: Clock;
  /** Called with each text that it takes. */
  onText(text: string): void;
}
