/**
 * The words of both consoles for products, operations and decisions, in English. The other languages have the same
 * keys: `GateWords`.
 */

export const GATE_WORDS = {
  locale: 'en-GB',
  productErrors: {
    jammed: 'jammed. Look whether something blocks it.',
    pin_broken: 'a pin is broken. It needs a technician.',
    sensor_dirty: 'its sensor is dirty. Wipe it.',
    battery_empty: 'its battery is empty. Charge or change it.',
    rtcc_invalid: 'its clock is not set. The gateway sets it with the next command.',
    master_key_not_set: 'it is not paired. Pair it before it can be opened from here.',
    other: 'it reports an error.',
  },
  states: { passable: 'Open', blocked: 'Closed', unknown: 'Unknown', error: 'Error' },
  kinds: { 1: 'Barrier', 2: 'Gate', 3: 'Chain', 4: 'Bollard', 5: 'Controller' } as Record<number, string>,
  product: {
    online: (rssi: number | null) => (rssi === null ? 'in reach' : `in reach, ${rssi} dBm`),
    offline: 'out of reach',
    battery: (percent: number) => `battery ${percent}\u00A0%`,
    carOnTop: 'a vehicle is on it',
    stays: { stay_open: 'held open', stay_close: 'held closed' },
    moreOperations: 'More operations',
    closeWhat: 'Look whether the way is clear: nobody and no vehicle may stand in it.',
  },
  operations: {
    open: 'Open',
    close: 'Close',
    force_close: 'Close in spite of a dirty sensor',
    stay_open: 'Hold open',
    stay_close: 'Hold closed',
    clear_stay_open: 'End holding open',
    clear_stay_close: 'End holding closed',
  },
  decisions: {
    admittedIn: 'Let in',
    admittedOut: 'Let out',
    denied: 'Refused',
    none: 'Seen, nothing to decide.',
    handled: {
      let_in: (by: string, at: string) => `Let in by ${by} at ${at}.`,
      let_out: (by: string, at: string) => `Let out by ${by} at ${at}.`,
      ignored: (by: string, at: string) => `Ignored by ${by} at ${at}.`,
      settled: (by: string, at: string) => `Settled by ${by} at ${at}.`,
    },
    reasons: {
      whitelist: 'the plate is a member’s or bound to the gate.',
      tariff: 'parks for a fee.',
      session_exit: 'its stay ended.',
      debounce: 'the same plate was read a moment before.',
      direction_mismatch: 'it drove the other way than this camera is for.',
      max_capacity: 'the zone is full.',
      no_active_session: 'no entry of it is known.',
      no_tariff: 'it is no member’s, and the zone has no tariff for others.',
      unknown_direction: 'its direction is not known.',
    } as Record<string, string>,
  },
  failures: {
    0: 'it did not accept the credentials.',
    1: 'the key is not valid.',
    2: 'the connection to it broke off.',
    3: 'Bluetooth failed.',
    4: 'it was not found in reach.',
    5: 'it is jammed. Look whether something blocks it.',
    6: 'a vehicle is on it. Wait until it has driven on.',
    7: 'its sensor is dirty. Wipe it, or close in spite of it when you see that nobody is there.',
    8: 'it is not paired.',
    9: 'its clock is not set.',
    10: 'it is busy with another movement.',
    11: 'it reports an error that it does not name.',
    Timeout: 'no gateway got an answer in time. Look at the gateway and at what stands between it and the barrier.',
  } as Record<string, string>,
  unknownFailure: 'it failed.',
};

export type GateWords = typeof GATE_WORDS;
