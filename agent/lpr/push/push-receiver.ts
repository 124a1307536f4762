/**
 * Receives the body of an authorised push within the budget, has it parsed and handled, and answers the camera. A read whose pictures are
 * still on their way is decided before they come.
 */
import type { Context } from 'hono';
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import { type BodyCoding, bodyCoding, incomingOf } from '../../../shared/node/request-body.js';
import type { CameraPush, ParsedPush, PushReader } from '../camera.js';
import type { CameraStates } from '../presence/camera-states.js';
import type { BodyBudget, BodyReservation } from './body-budget.js';
import { createEarlyReader } from './early-reader.js';
import { createPushHandler, type PushHandlerDeps } from './push-handler.js';
import { declaredBytes, readBody } from './read-body.js';

const RETRY_AFTER_S = 5;
const UNKNOWN_NAME = 'it names itself otherwise than the cameras that are known at its address';

export interface PushReceiverDeps extends PushHandlerDeps {
  budget: BodyBudget;
  states: Pick<CameraStates, 'recordPush' | 'recordRefusal'>;
  clock: Clock;
}

/** The sender of a push, as its address shows it. */
export interface PushSender {
  reader: PushReader;
  /** Any one of the cameras, where several share an address. */
  camera: CameraItem;
  /** The rest of the path after the push key, or after the prefix of a fixed path. */
  path: string;
  /** Finds the camera at the address that posted this; null: none of them did. Left out: `camera` did, because its key was in the address. */
  among?: (posted: Pick<CameraPush, 'contentType' | 'body'>) => CameraItem | null;
  /** What `among` goes by is the camera's key: what none of them posted is refused. Left out: it is put aside. */
  isNameKey?: boolean;
}

/** Answers 404 to a push whose name is its key and is wrong, 413 above 8 MiB (inflated), 415 to a coding other than gzip, 503 when there is no room for the push or a read cannot be stored, else what the vendor expects. */
export type ReceivePush = (context: Context, sender: PushSender) => Promise<Response>;

export function createPushReceiver(deps: PushReceiverDeps): ReceivePush {
  const pushes = createPushHandler(deps);
  const outsiders = createBoundedLog(deps);

  function answerCrowded(context: Context, { device_id }: CameraItem): Response {
    outsiders.from(device_id).warn({ camera: device_id }, 'no room for a push: the camera has to send it again');
    return context.body(null, 503, { 'retry-after': String(RETRY_AFTER_S) });
  }

  async function receiveBody(
    context: Context,
    sender: PushSender,
    arriving: { declared: number | null; coding: BodyCoding; reservation: BodyReservation },
  ): Promise<Response> {
    const { reader } = sender;
    const contentType = headerOf(context, 'content-type') ?? '';
    const readEarly =
      sender.among === undefined ? createEarlyReader(reader, { contentType, camera: sender.camera }) : null;
    const onArrived = (arrived: Uint8Array) => {
      const read = readEarly?.(arrived) ?? null;
      if (read !== null) pushes.handleEarly(sender.camera, read);
    };
    const whole = await readBody({ ...arriving, context, onArrived });
    arriving.reservation.isWhole();
    if (whole === 'too_large') return context.body(null, 413);
    if (whole === 'no_room') return answerCrowded(context, sender.camera);
    const { body, fault } = whole;
    const camera = sender.among === undefined ? sender.camera : sender.among({ contentType, body });
    if (camera === null && sender.isNameKey === true) return context.body(null, 404);
    const parsed: ParsedPush =
      fault !== null || camera === null
        ? { kind: 'malformed', reason: fault ?? UNKNOWN_NAME }
        : reader.parse({
            contentType,
            body,
            camera,
            path: sender.path,
            query: new URL(context.req.url).search,
            header: (name) => headerOf(context, name),
          });
    if (!(await pushes.handle(parsed, camera ?? sender.camera, { contentType, body }))) return context.body(null, 503);
    const answer = parsed.answer ?? reader.accepted;
    const headers = answer.contentType === null ? {} : { 'content-type': answer.contentType };
    return context.body(answer.body, answer.status, headers);
  }

  return async (context, sender) => {
    const encoding = headerOf(context, 'content-encoding');
    const coding = bodyCoding(encoding);
    if (coding === null) {
      deps.states.recordRefusal(sender.camera.device_id, `it sends its pushes as ${encoding}: gzip alone is read`);
      return context.body(null, 415);
    }
    const declared = declaredBytes(headerOf(context, 'content-length'));
    if (declared === 'too_large') return context.body(null, 413);
    const { budget } = deps;
    const reserved = budget.reserve(sender.camera.device_id, declared ?? 0, () => incomingOf(context)?.destroy());
    // No `await` stands here when there is room already, so that reading begins before any of the body has arrived.
    const reservation = reserved instanceof Promise ? await reserved : reserved;
    if (reservation === null) return answerCrowded(context, sender.camera);
    try {
      return await receiveBody(context, sender, { declared, coding, reservation });
    } finally {
      reservation.release();
    }
  };
}

/** Reads a header as Node.js has parsed it, because a vehicle waits: Hono copies all headers first. */
function headerOf(context: Context, name: string): string | undefined {
  const value = incomingOf(context)?.headers[name.toLowerCase()];
  return typeof value === 'string' ? value : context.req.header(name);
}
