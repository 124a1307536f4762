/** The rules of the specification and the realtime contract on when events are sent. A test says which rules it proves. */
import type { EventName } from '../../shared/events/event-schemas.js';

export const SENDING_RULES = {
  'every event': {
    scope:
      'to the lot concerned and to the account owning the lot: API tokens hear the account, users their assigned lots',
    transaction: 'recorded in the transaction of the change, pushed after it: none is lost by a crash between the two',
    replay: 'after a cursor: no gap, no repeat, also over a restart of the cloud',
    processes: 'a change made through one process of the cloud reaches the sockets of all',
    links: 'links to pictures are signed when they are sent',
  },
  authorized: { once: 'once, an empty string, to the connecting client alone' },
  lot_change: {
    command: 'when a command to move succeeded, with the event_id of its answer',
    settings: 'when a command to change settings succeeded, with the event_id of its answer',
    report: 'for every product in each report of a Gateway, without event_id',
    twice: 'twice for each report, next to each other; a changed pair has two cursors',
    unchanged: 'a report that changes nothing is pushed, has no cursor and is not replayed',
    error: 'product_error_id and product_error only while the product reports an error',
    barrier: 'the barrier block has the realtime spellings, brain-type blocks those of REST',
    no_lot: 'not for a product without a lot',
  },
  gateway_error: {
    refused: 'when a command failed, with the number and its message',
    types: 'every number has the message of the table',
    timeout: 'type Timeout, and no message, when no Gateway got an answer in time',
    no_lot: 'not for a product without a lot',
  },
  gateway_status: { change: 'when a Gateway goes online or offline', no_lot: 'not by a Gateway without a lot' },
  plate_reading_create: {
    read: 'when a camera read a plate: decision, reason and session are null',
    order: 'before plate_reading_update, session_create or session_update, and lpr_event, in this order',
    not_typed: 'not for readings made by POST /v2/sessions',
  },
  plate_reading_update: {
    triggered: 'when a decision to let in or out was made; session_id is still null',
    denied: 'when a decision to refuse was made',
    debounce: 'denied, for a repeat',
    refined: 'when the camera refines plate, confidence or direction',
    undefined: 'not for a reading of direction undefined',
    not_corrected: 'not by PATCH /v2/plate-readings/{id}',
  },
  session_create: {
    camera: 'when a camera admits a vehicle; keys without a value are left out',
    account: 'when an API token makes one: entry.type account',
    attendant: 'when a user makes one: entry.type attendant',
  },
  session_update: {
    patch: 'on PATCH /v2/sessions/{id}',
    close: 'on POST /v2/sessions/{id}/close: ended_at and exit are there, exit.type account or attendant',
    payment: 'on POST /v2/sessions/{id}/payments',
    camera: 'when a camera matches a leaving vehicle: ended_at, possibly_exited true, exit.type lpr_camera',
  },
  lpr_camera_status: {
    report: 'for every camera in each report, changed or not',
    unchanged: 'unchanged: pushed, no cursor, not replayed',
  },
  lot_detection_change: {
    sensor: 'first of three, when a sensor changes',
    not_sessions: 'not when sessions of cameras start and end',
  },
  zone_change: { sensor: 'second of three, when a sensor changes' },
  parking_place_change: {
    sensor: 'third of three, when a sensor changes',
    unchanged: 'not when it says the same again',
  },
  parking_gateway_state_change: { change: 'when a parking-detection gateway goes online or offline' },
  lpr_event: {
    entry: 'when a reading with a direction is recorded as a lot entry; pictures are storage keys',
    denied: 'for denied readings too, is_allowed 0',
    exit: 'an out entry that matches an earlier one has duration and related_lot_entry',
    not_debounced: 'not for a repeat, nor for direction undefined',
  },
} as const satisfies Record<EventName | 'authorized' | 'every event', Record<string, string>>;

type Rules = typeof SENDING_RULES;
/** `lot_change: twice` */
export type SendingRule = { [Event in keyof Rules]: `${Event}: ${keyof Rules[Event] & string}` }[keyof Rules];

declare module 'vitest' {
  interface TaskMeta {
    sendingRules?: readonly SendingRule[];
  }
}

/** Options of a test that proves these rules: it fails when the service breaks one of them. */
export const proves = (...sendingRules: SendingRule[]) => ({ meta: { sendingRules } });

/** All rules under a heading, as tests name them. */
export function rulesOf(event: keyof Rules): SendingRule[] {
  return Object.keys(SENDING_RULES[event]).map((rule) => `${event}: ${rule}` as SendingRule);
}
