import {
  createNobleRadio,
  NOBLE_RADIO_LIMITS,
  type NobleRadioLimits,
  type NobleRadioOptions,
} from '../../agent/product/noble/noble-radio.js';
import {
  CHILD_RADIO_LIMITS,
  type ChildRadioLimits,
  type ChildRadioOptions,
  createChildRadio,
} from '../../agent/product/radio-process/child-radio.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';

/** A radio in its own process, of which nobody hears how it is, and whose power cannot be switched. */
export const childRadio = (
  hci: ChildRadioOptions['hci'],
  over: Partial<ChildRadioOptions> = {},
  limits: Partial<ChildRadioLimits> = {},
) =>
  createChildRadio(
    {
      hci,
      clock: systemClock,
      logger: silentLogger,
      random: Math.random,
      onRecovery() {},
      onLinks() {},
      cyclePower: null,
      ...over,
    },
    { ...CHILD_RADIO_LIMITS, ...limits },
  );

/** A radio over noble in this process, with an adapter that is new. */
export const nobleRadio = (
  hci: NobleRadioOptions['hci'],
  over: Partial<NobleRadioOptions> = {},
  limits: Partial<NobleRadioLimits> = {},
) =>
  createNobleRadio({
    hci,
    clock: systemClock,
    logger: silentLogger,
    random: Math.random,
    onRestartNeeded() {},
    onRecovery() {},
    onLinks() {},
    expectsProducts: false,
    resetsFirst: false,
    ...over,
    limits: { ...NOBLE_RADIO_LIMITS, ...limits },
  });
