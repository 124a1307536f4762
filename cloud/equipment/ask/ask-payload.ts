/** What gateways answered, as REST shows it. */
import { z } from '@hono/zod-openapi';
import { CAMERA_DRIVER_NAMES } from '../../../shared/drivers/camera-driver-list.js';
import { MINUTE_MS } from '../../../shared/durations.js';
import { PRODUCT_TYPE_IDS } from '../../../shared/ids.js';
import { type AskAnswers, type AskKind, SETUP_MODES } from '../../../shared/uplink-asks.js';
import { datetime, flag, flagOf, id, iso, isoOrNull, orNull } from '../../rest/field/answer-schemas.js';
import type { KeptAsk } from './ask-queries.js';

/** After this time nobody waits for the answer any more. One that comes later still counts. */
const WAITED_MS = MINUTE_MS;
const SILENT = 'The gateway did not answer within a minute: its software may be older, or it lost its connection';

export const askedSchema = z.strictObject({ asked_at: datetime.describe('When the gateway was asked.') });

/** What is kept of an ask. @param name of it in the document */
const keptAskSchema = <Answer extends z.ZodType>(name: string, answer: Answer) =>
  orNull(
    z
      .strictObject({
        asked_at: datetime.describe('When the gateway was last asked.'),
        state: z
          .enum(['asked', 'answered', 'failed', 'silent'])
          .describe(
            'What came of the last ask: `asked`: its answer is waited for. `answered`. `failed`: the gateway says in `reason` why there is no answer. `silent`: none came within a minute.',
          ),
        reason: z
          .string()
          .nullable()
          .describe('Why the last ask has no answer, for people; null: it has one, or it is waited for.'),
        answered_at: datetime.nullable().describe('When `answer` came, or the refusal; null: nothing ever came.'),
        answer: orNull(answer).describe('The last answer: that of an earlier ask until the next one comes.'),
      })
      .openapi(name),
  );

export interface ShownAsk<Shown> {
  asked_at: string;
  state: 'asked' | 'answered' | 'failed' | 'silent';
  reason: string | null;
  answered_at: string | null;
  answer: Shown | null;
}

export function representAsk<Kind extends AskKind, Shown>(
  { asked_at, answered_at, fault }: KeptAsk<Kind>,
  { now, answer }: { now: number; answer: Shown | null },
): ShownAsk<Shown> {
  const isOver = answered_at !== null && answered_at >= asked_at;
  const isWaiting = !isOver && now - asked_at < WAITED_MS;
  const state = isWaiting ? 'asked' : isOver ? (fault === null ? 'answered' : 'failed') : 'silent';
  const reason = { asked: null, answered: null, failed: fault, silent: SILENT }[state];
  return { asked_at: iso(asked_at), state, reason, answered_at: isoOrNull(answered_at), answer };
}

const text = z.string();

const cameraSearchSchema = z
  .strictObject({
    cameras: z
      .array(
        z.strictObject({
          address: text.describe('Such as http://192.168.1.21, as the gateway reaches it.'),
          vendor: text.describe('Who made it; empty when it does not say.'),
          model: text,
          serial: text.describe('Its serial number; empty when it does not say.'),
          mac: text,
          driver: z
            .enum(CAMERA_DRIVER_NAMES)
            .nullable()
            .describe('The driver for cameras of this vendor; null: none is known.'),
          notes: text.describe('What a person should know before; empty: nothing.'),
          lpr_camera_id: id
            .nullable()
            .describe('The camera of the lot with this address or serial number; null: there is none yet.'),
        }),
      )
      .describe('The cameras that answered, at most 64.'),
  })
  .openapi('FoundCameras');
export const cameraSearchAsk = keptAskSchema('CameraSearch', cameraSearchSchema);

/** A camera that was set up is known again by its address, or by its serial number as its identifier. */
export function representFoundCameras(
  { cameras }: AskAnswers['cameras'],
  known: readonly { id: number; device_id: string; address: string }[],
): z.infer<typeof cameraSearchSchema> {
  const byHost = new Map(known.map((camera) => [hostOf(camera.address), camera.id]));
  byHost.delete('');
  const bySerial = new Map(known.map(({ id: own, device_id }) => [device_id.toLowerCase(), own]));
  return {
    cameras: cameras.map(({ address, vendor, model, serial, mac, driver, notes }) => {
      const lpr_camera_id = byHost.get(hostOf(address)) ?? bySerial.get(serial.toLowerCase()) ?? null;
      return { address, vendor, model, serial, mac, driver, notes, lpr_camera_id };
    }),
  };
}

/** The host, with a port that is not the usual one: behind one address stand several cameras. Name and password do not count. */
function hostOf(address: string): string {
  const url = address.includes('://') ? address : `http://${address}`;
  return URL.canParse(url) ? new URL(url).host : '';
}

const productSearchSchema = z
  .strictObject({
    radio: z
      .enum(['off', 'unavailable', 'on'])
      .describe('How the radio of the gateway is: where it is not `on`, nothing is heard.'),
    products: z
      .array(
        z.strictObject({
          device_id: text,
          product_type_id: z.number().int(),
          rssi: z.number().int().describe('In dBm: the nearer to 0, the stronger.'),
          product_id: id
            .nullable()
            .describe('The product of the account with this identifier; null: there is none yet.'),
        }),
      )
      .describe(
        'What calls itself a product now, the strongest first, at most 64. A name proves nothing: pairing does.',
      ),
  })
  .openapi('HeardProducts');
export const productSearchAsk = keptAskSchema('ProductSearch', productSearchSchema);

export function representHeardProducts(
  { radio, products }: AskAnswers['products'],
  known: ReadonlyMap<string, number>,
): z.infer<typeof productSearchSchema> {
  return {
    radio,
    products: products.map(({ device_id, type, rssi }) => {
      return { device_id, product_type_id: PRODUCT_TYPE_IDS[type], rssi, product_id: known.get(device_id) ?? null };
    }),
  };
}

const cameraSetupSchema = z
  .strictObject({
    mode: z.enum(SETUP_MODES).describe('What was asked: `plan`, `apply` or `undo`.'),
    changes: z
      .array(text)
      .describe('What would be changed at the camera, or was; in words for people, without keys and passwords.'),
    by_hand: z.array(text).describe('What is left to a person, on the web page of the camera.'),
    is_done: flag.describe('Whether the changes were made: 1 or 0.'),
  })
  .openapi('CameraSetup');
export const cameraSetupAsk = keptAskSchema('CameraSetupAsk', cameraSetupSchema);

export const representCameraSetup = ({ mode, changes, by_hand, is_done }: AskAnswers['setup']) => ({
  mode,
  changes,
  by_hand,
  is_done: is_done ? (1 as const) : (0 as const),
});

const cameraProbeSchema = z
  .strictObject({
    is_there: flag.nullable().describe('Whether it answers: 1 or 0; null: cameras of its driver cannot be asked.'),
    problem: text.nullable().describe('What is wrong with it, for people.'),
    hosts: z.array(text).describe('Where the camera reaches its gateway, as host and port; the likeliest first.'),
  })
  .openapi('CameraProbe');
export const cameraProbeAsk = keptAskSchema('CameraProbeAsk', cameraProbeSchema);

export const representCameraProbe = ({ is_there, problem, hosts }: AskAnswers['probe']) => ({
  is_there: is_there === null ? null : flagOf(Number(is_there)),
  problem,
  hosts,
});

const displayTestSchema = z
  .strictObject({ text: text.describe('The text that the display accepted, and shows for ten seconds.') })
  .openapi('DisplayTest');
export const displayTestAsk = keptAskSchema('DisplayTestAsk', displayTestSchema);

const sensorsSchema = z
  .strictObject({
    is_heard: flag.describe('Whether the gateway hears any of the sensors: 1 or 0.'),
    fault: text.nullable().describe('Why not all of them can be heard, for people.'),
    places: z.array(
      z.strictObject({
        parking_place_id: id.describe('The parking place.'),
        state: z.enum(['free', 'occupied']).nullable().describe('null: not known yet.'),
        raw: text.nullable().describe('The last message of its sensor as it was heard; null: none.'),
        heard_ago_seconds: z
          .number()
          .int()
          .nullable()
          .describe('How long before the answer it was last heard; null: never.'),
        answers: flag.describe('Whether its sensor is not silent, and answered when it was last asked: 1 or 0.'),
      }),
    ),
  })
  .openapi('HeardSensors');
export const sensorsAsk = keptAskSchema('SensorsAsk', sensorsSchema);

export const representSensors = ({ is_heard, fault, places }: AskAnswers['sensors']) => ({
  is_heard: flagOf(Number(is_heard)),
  fault,
  places: places.map(({ parking_place_id, state, raw, heard_ago_ms, answers }) => ({
    parking_place_id,
    state,
    raw,
    heard_ago_seconds: heard_ago_ms === null ? null : Math.round(heard_ago_ms / 1_000),
    answers: flagOf(Number(answers)),
  })),
});
