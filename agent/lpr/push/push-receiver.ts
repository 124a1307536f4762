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
import type { BodyBudget, BodyReservation } from './body-budget.js';
import { createBodyJudge } from './body-judge.js';
import { createEarlyReader } from './early-reader.js';
import { createNameSearch } from './name-search.js';
import { createPushHandler, type PushHandler, type PushHandlerDeps } from './push-handler.js';
import { BODY_BYTES_MAX, declaredBytes, type LookAtPiece, readBody } from './read-body.js';
import type { ThreadShare } from './thread-share.js';

const RETRY_AFTER_S = 5;
/** Nobody waits longer for his share of the thread. */
const WAIT_MAX_MS = 5_000;
/** So much is read of a body that breaks a bound: the part that the quarantine keeps, and a small body to its end. */
const READ_ON_BYTES = 512 * 1024;
const UNKNOWN_NAME = 'it names itself otherwise than the cameras that are known at its address';

export interface PushReceiverDeps extends PushHandlerDeps {
  budget: BodyBudget;
  share: ThreadShare;
  clock: Clock;
}

/** The sender of a push, as its address shows it. */
export interface PushSender {
  reader: PushReader;
  /** Any one of the cameras, where several share an address. */
  camera: CameraItem;
  /** Whose share of the thread it uses: the camera's, or that of an address. */
  payer: string;
  /** The rest of the path after the push key, or after the prefix of a fixed path. */
  path: string;
  /** Finds the camera at the address that posted this; null: none of them did. Left out: `camera` did, because its key was in the address. */
  among?: (posted: Pick<CameraPush, 'contentType' | 'body'>) => CameraItem | null;
  /**
   * `among` chooses by the camera's key: a push of none of them is refused, and read no further than the key's place.
   * Left out: it is put aside.
   */
  isNamedIn?: (beginning: Uint8Array) => boolean;
}

/** Answers 404 to a push whose name is its key and is wrong, 413 above 8 MiB (inflated), 415 to a coding other than gzip, 503 when there is no room for the push or a read cannot be stored, else what the vendor expects. */
export type ReceivePush = (context: Context, sender: PushSender) => Promise<Response>;

/** A body with what was found out while it arrived. */
interface ArrivedBody {
  body: Uint8Array;
  fault: string | null;
  contentType: string;
  /** It does not begin with the name that is its camera's key. */
  isNameless: boolean;
  /** Which bound it breaks, for people; null: none. */
  problem: string | null;
}

export function createPushReceiver(deps: PushReceiverDeps): ReceivePush {
  const pushes = createPushHandler(deps);
  const outsiders = createBoundedLog(deps);

  function answerCrowded(context: Context, { device_id }: CameraItem): Response {
    outsiders.from(device_id).warn({ camera: device_id }, 'no room for a push: the camera has to send it again');
    return context.body(null, 503, { 'retry-after': String(RETRY_AFTER_S) });
  }

  function answerTooLarge(context: Context, { camera, among }: PushSender): Response {
    if (among === undefined)
      deps.states.recordRefusal(camera.device_id, `a push of it has more than ${BODY_BYTES_MAX} bytes`);
    return context.body(null, 413);
  }

  async function receiveBody(
    context: Context,
    sender: PushSender,
    arriving: { declared: number | null; coding: BodyCoding; reservation: BodyReservation },
  ): Promise<Response> {
    const contentType = headerOf(context, 'content-type') ?? '';
    const watch = watchBody(sender, contentType, { pushes, share: deps.share });
    const whole = await readBody({ ...arriving, ...watch, context });
    arriving.reservation.isWhole();
    if (whole === 'too_large') return answerTooLarge(context, sender);
    if (whole === 'no_room') return answerCrowded(context, sender.camera);
    // Others have their turns for as long as its sender used the thread before.
    return deps.share.inTurn(sender.payer, () =>
      handleBody(context, sender, { pushes, arrived: { ...whole, ...watch.found, contentType } }),
    );
  }

  return async (context, sender) => {
    const encoding = headerOf(context, 'content-encoding');
    const coding = bodyCoding(encoding);
    if (coding === null) {
      deps.states.recordRefusal(sender.camera.device_id, `it sends its pushes as ${encoding}: gzip alone is read`);
      return context.body(null, 415);
    }
    const length = declaredBytes(headerOf(context, 'content-length'));
    if (length === 'too_large') return answerTooLarge(context, sender);
    const { budget, share } = deps;
    if (share.waitMs(sender.payer) > WAIT_MAX_MS) return answerCrowded(context, sender.camera);
    if (share.waitMs(sender.payer) > 0) await share.inTurn(sender.payer, () => {});
    // Room for a whole body is kept for senders that have named themselves.
    const declared = sender.isNamedIn === undefined ? length : null;
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

/** Looks at a body while it arrives, and has a read decided that comes before its pictures. */
function watchBody(
  sender: PushSender,
  contentType: string,
  { pushes, share }: { pushes: PushHandler; share: ThreadShare },
): { found: Pick<ArrivedBody, 'isNameless' | 'problem'>; look: LookAtPiece; onArrived: (arrived: Uint8Array) => void } {
  const { reader, camera, among, isNamedIn, payer } = sender;
  const readEarly = among === undefined ? createEarlyReader(reader, { contentType, camera }) : null;
  const judge = createBodyJudge(contentType);
  const name = isNamedIn === undefined ? null : createNameSearch(isNamedIn);
  const found: Pick<ArrivedBody, 'isNameless' | 'problem'> = { isNameless: false, problem: null };
  let arrived = 0;
  return {
    found,
    look: (piece) =>
      share.count(payer, () => {
        found.isNameless = name?.add(piece) === false;
        found.problem ??= judge.add(piece);
        arrived += piece.length;
        return !found.isNameless && (found.problem === null || arrived < READ_ON_BYTES);
      }),
    onArrived: (beginning) =>
      share.count(payer, () => {
        const read = readEarly?.(beginning) ?? null;
        if (read !== null) pushes.handleEarly(camera, read);
      }),
  };
}

/** Finds the camera that posted a body, has the body handled, and answers the camera. */
async function handleBody(
  context: Context,
  sender: PushSender,
  { pushes, arrived }: { pushes: PushHandler; arrived: ArrivedBody },
): Promise<Response> {
  const { body, fault, contentType, isNameless, problem } = arrived;
  const { reader, among, isNamedIn, path } = sender;
  const posted = { contentType, body };
  const camera = among === undefined ? sender.camera : isNameless ? null : among(posted);
  if (camera === null && isNamedIn !== undefined) return context.body(null, 404);
  const wrong = problem ?? fault;
  const parsed: ParsedPush =
    wrong !== null || camera === null
      ? { kind: 'malformed', reason: wrong ?? UNKNOWN_NAME }
      : reader.parse({
          ...posted,
          camera,
          path,
          query: new URL(context.req.url).search,
          header: (name) => headerOf(context, name),
        });
  if (!(await pushes.handle(parsed, camera ?? sender.camera, posted))) return context.body(null, 503);
  const answer = parsed.answer ?? reader.accepted;
  const headers = answer.contentType === null ? {} : { 'content-type': answer.contentType };
  return context.body(answer.body, answer.status, headers);
}

/** Reads a header as Node.js has parsed it, because a vehicle waits: Hono copies all headers first. */
function headerOf(context: Context, name: string): string | undefined {
  const value = incomingOf(context)?.headers[name.toLowerCase()];
  return typeof value === 'string' ? value : context.req.header(name);
}
