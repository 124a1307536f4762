/** Port: writes a text to one display of any technology. */
import type { DisplayItem } from '../../shared/gateway-config.js';

export interface DisplayDriver {
  /** Its name in the configuration. */
  readonly name: string;
  /** Why it cannot work with these settings, in words for people; null: it can. */
  settingsFault(item: DisplayItem): string | null;
  /**
   * Resolves when the display took the text. Rejects with the reason, for people, when it did not, at the latest when the signal is
   * aborted.
   */
  show(item: DisplayItem, text: string, signal: AbortSignal): Promise<void>;
}

/** The drivers by their names in the configuration. */
export type DisplayDrivers = ReadonlyMap<string, DisplayDriver>;
