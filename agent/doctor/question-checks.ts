/**
 * Answers the questions that a person may ask of `doctor` beside the usual checks: how a plate would be decided, and
 * whether a product opens and closes.
 */
import type { Clock } from '../../shared/clock.js';
import { type Finding, found } from '../../shared/doctor/findings.js';
import { GATEWAY_ERROR_MESSAGES } from '../../shared/errors.js';
import type { CameraItem, ProductItem } from '../../shared/gateway-config.js';
import type { EventId } from '../../shared/ids.js';
import { normalisePlate } from '../../shared/plate/normalise-plate.js';
import type { AccessRules } from '../access/access-rules.js';
import { errorText } from '../../shared/error-text.js';
import { findNamed, NameError } from '../access/find-named.js';
import type { OpenSessions } from '../access/open-sessions.js';
import type { Asking, LocalActions } from '../command/local-actions.js';
import { outcomeOf } from '../command/local-operations.js';
import type { RunDry } from '../lpr/reads/dry-run.js';
import type { ProductCommander } from '../product/product-commander.js';
import { decideDryRun } from './decide-equipment.js';

/** For one movement, with the time that it takes to connect. */
const MOVED_WITHIN_MS = 60_000;
/** So many names of test plates are tried: nobody has all of them. */
const TEST_PLATES = 20;

/** The error of a question about something that is not there. */
export class DoctorQuestionError extends Error {}
/** The error of a question that is under way already. */
export class DoctorBusyError extends Error {}

export interface QuestionDeps {
  rules: Pick<AccessRules, 'gateway' | 'cameras' | 'product' | 'products' | 'isWhitelisted'>;
  sessions: Pick<OpenSessions, 'own'>;
  runDry: RunDry;
  commander: ProductCommander;
  newEventId(): EventId;
  clock: Clock;
  actions: Pick<LocalActions, 'note'>;
}

/** The checks that a person asks for beside the usual ones. */
export interface DoctorQuestion {
  /** A product that is opened and closed, by its name or device id. */
  cycle?: string | undefined;
  /** A plate that is decided on, at one camera or at all. */
  plate?: string | undefined;
  camera?: string | undefined;
}

/** @throws DoctorQuestionError */
export function testPlates(deps: QuestionDeps, { plate, camera }: DoctorQuestion): Finding[] {
  if (plate === undefined && camera === undefined) return [];
  if (plate === undefined) throw new DoctorQuestionError('a camera goes with a plate: --plate');
  if (normalisePlate(plate) === '') throw new DoctorQuestionError(`"${plate}" is no plate: it has no letter or digit`);
  const cameras = camera === undefined ? [...deps.rules.cameras()] : [named(deps.rules.cameras(), camera, 'camera')];
  if (cameras.length === 0) throw new DoctorQuestionError('this gateway has no camera that could read a plate');
  return cameras.flatMap((each) => testPlate(deps, each, plate));
}

/** Decides on a plate that nobody here has. */
export const testUnknownPlate = (deps: QuestionDeps, camera: CameraItem): Finding[] =>
  testPlate(deps, camera, unknownPlate(deps, camera));

/** @throws DoctorQuestionError when there is no such product, or several */
export const cycledProduct = ({ rules }: QuestionDeps, name: string): ProductItem =>
  named(rules.products(), name, 'product');

/** A plate that nobody here has. */
function unknownPlate({ rules, sessions, clock }: QuestionDeps, { zone_id, product_device_id }: CameraItem): string {
  const product_id = product_device_id === null ? null : (rules.product(product_device_id)?.id ?? null);
  const at = { zone_id, product_id, event_ms: clock.now() };
  const plates = Array.from({ length: TEST_PLATES }, (_, index) => `D0CT0R${index}`);
  return plates.find((plate) => !rules.isWhitelisted(plate, at) && sessions.own(plate) === null) ?? 'D0CT0R';
}

function testPlate({ runDry }: QuestionDeps, camera: CameraItem, text: string): Finding[] {
  const { plate, decision, is_zone_known, product, is_held_closed } = runDry(camera, text);
  return decideDryRun({
    camera: camera.name,
    plate,
    access_decision: decision.access_decision,
    reason: decision.access_decision_reason,
    is_zone_known,
    product: product?.name ?? camera.product_device_id,
    is_product_known: product !== undefined || camera.product_device_id === null,
    is_held_closed,
  });
}

function named<Item extends { device_id: string; name: string }>(
  items: Iterable<Item>,
  name: string,
  kind: string,
): Item {
  try {
    return findNamed(items, name, kind);
  } catch (error) {
    throw error instanceof NameError ? new DoctorQuestionError(errorText(error)) : error;
  }
}

/** Opens a product, and closes it again. Each movement is told like those of other people at the gateway. */
export async function openAndClose(
  { commander, clock, newEventId, actions }: Pick<QuestionDeps, 'commander' | 'clock' | 'newEventId' | 'actions'>,
  product: ProductItem,
  asking: Asking,
): Promise<Finding[]> {
  const took: number[] = [];
  for (const operation of ['open', 'close'] as const) {
    const startedMs = clock.monotonic();
    const [at_ms, event_id] = [clock.now(), newEventId()];
    const outcome = await commander.execute({
      device_id: product.device_id,
      event_id,
      command: { name: operation },
      deadline_mono_ms: startedMs + MOVED_WITHIN_MS,
    });
    void actions.note(
      'operation',
      { ...asking, product_id: product.id, operation, event_id, ...outcomeOf(outcome) },
      at_ms,
    );
    if (outcome.outcome !== 'succeeded')
      return [found('cycle.failed', product.name, { operation, problem: GATEWAY_ERROR_MESSAGES[outcome.type] })];
    took.push(Math.round((clock.monotonic() - startedMs) / 1_000));
  }
  const [open_s = 0, close_s = 0] = took;
  return [found('cycle.ok', product.name, { open_s, close_s })];
}
