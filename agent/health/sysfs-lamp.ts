/**
 * Driver: an LED of the kernel, `/sys/class/leds/NAME`. The kernel's timer blinks it: no sign costs a wake-up, and each goes on while the program
 * does not. The timer also holds steady light and darkness, so that its files, which the unit gives to the gateway, stay the same ones.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../../shared/error-text.js';
import type { Logger } from '../../shared/logger.js';
import type { Lamp, LampSign } from './lamp.js';

/** Milliseconds of light, then of darkness; the installers' page (cloud/guides/installing.md) shows them. */
export const SIGNS: Readonly<Record<LampSign, readonly [number, number]>> = {
  starting: [100, 900],
  waiting: [1_000, 1_000],
  online: [1_000, 0],
  offline: [1_900, 100],
  fault: [150, 150],
  ended: [100, 2_900],
  stopped: [0, 1_000],
};

/** @param folder null: there is no lamp, and nothing is done */
export function createSysfsLamp(folder: string | null, { logger }: { logger: Logger }): Lamp {
  let shown: LampSign | null = null;
  let isWarned = false;

  function write(folderOf: string, sign: LampSign): void {
    const file = (name: string) => join(folderOf, name);
    if (!readFileSync(file('trigger'), 'utf8').includes('[timer]')) writeFileSync(file('trigger'), 'timer');
    const [onMs, offMs] = SIGNS[sign];
    const values = [
      ['delay_on', onMs],
      ['delay_off', offMs],
    ] as const;
    // The kernel takes no light and no darkness for its own pace: the two are never 0 together.
    for (const [name, ms] of values.toSorted((a, b) => b[1] - a[1])) writeFileSync(file(name), String(ms));
  }

  return {
    show(sign) {
      if (folder === null || sign === shown) return;
      try {
        write(folder, sign);
        shown = sign;
      } catch (error) {
        if (!isWarned)
          logger.warn(
            { path: folder, reason: errorText(error) },
            'LED_PATH cannot be written: it is a folder under /sys/class/leds, whose files the unit gives to the gateway',
          );
        isWarned = true;
      }
    },
  };
}
