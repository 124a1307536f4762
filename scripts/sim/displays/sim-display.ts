/** A simulated display of any driver: its last text, and when it was written. */
import type { CarParkDisplay } from '../car-park.js';
import type { DisplayOptions } from './display-options.js';
import { startHttpDisplay } from './http-display.js';
import { startModbusDisplay } from './modbus-display.js';
import { startPollingDisplay } from './polling-display.js';

/** A display in the control interface. */
export interface DisplayView {
  name: string;
  /** null: nothing was written to it yet. */
  text: string | null;
  updated_at: string | null;
}

export interface SimDisplay {
  view(): DisplayView;
  close(): Promise<void>;
}

const STARTS: Readonly<
  Record<string, (display: CarParkDisplay, options: DisplayOptions) => Promise<{ close(): Promise<void> }>>
> = { http: startHttpDisplay, modbus: startModbusDisplay, zhenshi: startPollingDisplay };

/** null: displays of this driver are not simulated. @throws when its address is in use */
export async function startDisplay(
  display: CarParkDisplay,
  options: Omit<DisplayOptions, 'onText'>,
): Promise<SimDisplay | null> {
  const start = STARTS[display.driver];
  if (start === undefined) return null;
  let text: string | null = null;
  let updated_at: string | null = null;
  const device = await start(display, {
    ...options,
    onText(written) {
      text = written;
      updated_at = new Date(options.clock.now()).toISOString();
    },
  });
  return { view: () => ({ name: display.name, text, updated_at }), close: device.close };
}
