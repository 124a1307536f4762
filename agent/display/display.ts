/** Port: writes a text to one display of any technology. */
import type { DisplayDriverName } from '../../shared/drivers/display-drivers.js';
import type { DisplayItem } from '../../shared/gateway-config.js';
import { errorText } from '../../shared/error-text.js';

export interface DisplayDriver {
  /** Its name in the list of drivers in `shared`. */
  readonly name: DisplayDriverName;
  /**
   * How long a display that works may take to take a text, in milliseconds; left out: a few seconds. While it waits a newer text takes the
   * place of the older one.
   */
  readonly patience_ms?: number;
  /**
   * Resolves when the display took the text. Rejects with the reason, for people, when it did not, at the latest when the signal is
   * aborted; with NotConfirmed when it has the text, as far as anybody can tell.
   * @param item its settings meet the driver's requirements in `shared/drivers/display-drivers.ts`
   */
  show(item: DisplayItem, text: string, signal: AbortSignal): Promise<void>;
}

/** The display was sent the text and answered, but what it answered cannot be read: it may show it, and is not written to again at once. */
export class NotConfirmed extends Error {
  constructor(cause: unknown) {
    super(`sent, not confirmed: its answer cannot be read (${errorText(cause)})`, {
      cause,
    });
    this.name = 'NotConfirmed';
  }
}

/** The drivers by their names in the configuration. */
export type DisplayDrivers = ReadonlyMap<string, DisplayDriver>;
