/**
 * The words of both consoles for products, operations and decisions, in English. The other languages have the same
 * keys: `GateWords`.
 */

import { inBrackets, type TroubleSentences } from '../troubles/trouble-sentences.js';

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
    unpaired: 'not paired',
    moreOperations: 'More operations',
    closeWhat: 'Look whether the way is clear: nobody and no vehicle may stand in it.',
  },
  radioStates: { on: 'works', off: 'off', unavailable: 'does not work' },
  troubles: {
    title: 'What needs a person',
    calm: 'Everything is well.',
    needs: (count: number) => (count === 1 ? 'One thing needs a person.' : `${count} things need a person.`),
    radio: (name: string, adapters: string) => `Bluetooth of ${name} does not work: ${adapters}.`,
    noRadio: (name: string) => `Bluetooth of ${name} is off: it opens nothing.`,
    willNotOpen: (count: number, names: string) =>
      count === 1
        ? `${names} is not paired: it will not open.`
        : `${count} are not paired and will not open: ${names}.`,
    says: {
      lot_released: (name, { by }) => `Everything in ${name} is held open${by === null ? '' : ` by ${by}`}.`,
      store_failed: (name) => `The memory card or disk of ${name} accepts no more records. Gates go on; call support.`,
      product_unpaired: (name) => `${name} is not paired: it cannot be opened, nor in an emergency. Pair it.`,
      credential_over: (name) => `${name} can open nothing any more: it needs its cloud to renew its right.`,
      product_unheard: (name, { was_heard }) =>
        `${name} ${was_heard ? 'is out of reach' : 'has never been heard'}. Look whether it has power, and what stands between.`,
      product_other_key: (name, { fault }) =>
        fault === 'other'
          ? `${name} is heard, but it has another key. Pair it anew.`
          : `${name} refuses the key of its gateway. Pair it anew.`,
      gateway_alone: (name, { was_connected }) =>
        was_connected
          ? `${name} works alone, without the cloud. Gates go on by what it knows.`
          : `${name} has not reached the cloud yet. Gates go on by what it knows.`,
      not_configured: (name) => `${name} has no configuration yet: it gets one when it reaches its cloud.`,
      clock_wrong: (name, { off_s }) =>
        off_s === null
          ? `The clock of ${name} is not set: times are estimated. It is right again with network or cloud.`
          : `The clock of ${name} is wrong by ${Math.abs(off_s)} s. It needs a network with a time server.`,
      camera_silent: (name, { problem }) => `${name} is silent: plates are not read there${inBrackets(problem)}.`,
      camera_fault: (name, { problem }) => `${name}: ${problem}`,
      sensors_silent: (name, { problem }) =>
        `${name} is silent: how its places are now is not known${inBrackets(problem)}.`,
      sensors_fault: (name, { problem }) => `${name}: ${problem}`,
      places_silent: (name, { count, places, problem }) =>
        count === 1
          ? `${name}: the sensor of ${places} is silent${inBrackets(problem)}. Look at its battery.`
          : `${name}: ${count} sensors are silent: ${places}${inBrackets(problem)}. Look at their batteries.`,
      display_stale: (name, { problem }) => `${name} does not show how it is now${inBrackets(problem)}.`,
      counts_apart: (name, { sensors, sessions }) =>
        `${name}: the counts are apart. Sensors say ${sensors ?? '–'}, cameras ${sessions}. Count the vehicles.`,
      webhook_off: (name) => `The webhook to ${name} was switched off: its receiver wants nothing any more.`,
      webhook_failing: (name, { status }) =>
        `The webhook to ${name} fails: ${status === null ? 'nobody answers' : `it is answered with ${status}`}.`,
      mails_failing: (_name, { count }) => (count === 1 ? 'One mail was not sent.' : `${count} mails were not sent.`),
      queue_old: (name) => `${name} holds records that it could not hand over.`,
      credential_low: (name, { days }) =>
        `${name} can open by itself for ${days === 1 ? 'one more day' : `${days} more days`}: it needs its cloud before then.`,
      battery_low: (name, { percent }) => `The battery of ${name} is at ${percent}\u00A0%.`,
      product_clock_wrong: (name, { off_s }) =>
        `The clock of ${name} is wrong by ${Math.abs(off_s)} s: the cloud sets it when it is connected.`,
      camera_clock_wrong: (name, { off_s }) =>
        `The clock of ${name} is ${Math.abs(off_s)} s ${off_s < 0 ? 'ahead' : 'behind'}.`,
      awaited: (name) => `Waiting for ${name}: nothing was heard of it yet.`,
    } satisfies TroubleSentences,
  },
  ages: {
    minutes: (count: number) => `${count} min`,
    hours: (count: number) => `${count} h`,
    days: (count: number) => (count === 1 ? '1 day' : `${count} days`),
    since: (age: string, time: string) => `for ${age}, since ${time}`,
    sinceUnknown: 'since when is not known',
    now: 'just now',
    ago: (age: string) => `${age} ago`,
    was: (state: string, ago: string) => `was ${state} ${ago}`,
  },
  formerly: { passable: 'open', blocked: 'closed', free: 'free', occupied: 'taken' },
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
