/**
 * Runs the commands of the cloud. A command is never run late or twice, and its result is kept until the cloud has it. Commands share the
 * queue of each product with the openings for cameras.
 */
import { GATEWAY_ERROR } from '../../shared/gateway-error-types.js';
import type { EventId } from '../../shared/ids.js';
import type { StatusBlock } from '../../shared/product-protocol/status-block.js';
import { decodeCredential } from '../../shared/product-protocol/token-codec.js';
import type { CommandMessage } from '../../shared/uplink-orders.js';
import type { CommandResultRecord, ProductStatus } from '../../shared/uplink.js';
import type { CommandCredentials, CommandOutcome, ProductCommander } from '../product/product-commander.js';
import { createTasks } from '../waiting/tasks.js';
import { type CloudOrderDeps, hasRunOut, keepResult, monotonicDeadlineMs } from './cloud-orders.js';

/** Longer than any repeat of a command can be on its way. */
const REMEMBERED_MS = 10 * 60_000;
const REMEMBERED_MAX = 1_000;

export interface RemoteCommands {
  /**
   * Begins the command before it returns, or refuses it. Every result is kept as a record. A command whose time ran out has no result,
   * because the cloud's own wait ends at the same moment.
   */
  handle(message: CommandMessage): void;
  /** Breaks off what runs, and waits until its result is kept. */
  close(): Promise<void>;
}

type Result = Pick<CommandResultRecord, 'outcome' | 'gateway_error_type' | 'authenticated' | 'refused_late' | 'status'>;

interface KnownCommand {
  at_ms: number;
  isOver: boolean;
  /** null: it runs, or its time ran out. */
  result: Result | null;
}

const REFUSED_LATE: Result = {
  outcome: 'failed',
  gateway_error_type: null,
  authenticated: false,
  refused_late: true,
  status: null,
};

export function createRemoteCommands(deps: CloudOrderDeps, commander: ProductCommander): RemoteCommands {
  const { clock, logger } = deps;
  /** Commands by event_id, the oldest first. */
  const known = new Map<EventId, KnownCommand>();
  const tasks = createTasks();

  const keep = ({ event_id, product_id }: CommandMessage, result: Result): Promise<void> =>
    keepResult(deps, { kind: 'command_result', event_id, product_id, ...result });

  /** @returns null: its time ran out */
  async function run(message: CommandMessage): Promise<Result | null> {
    const { event_id, device_id, command } = message;
    const deadline_mono_ms = monotonicDeadlineMs(deps, message.deadline_ms);
    if (clock.monotonic() >= deadline_mono_ms) {
      logger.warn({ event_id, device_id, command: command.name }, 'a command came too late and was refused');
      return REFUSED_LATE;
    }
    const credentials = credentialsOf(message);
    // The product would answer the same to a command without a readable credential.
    if (credentials === null)
      return resultOf({ outcome: 'failed', type: GATEWAY_ERROR.INVALID_KEY, authenticated: false });
    const can_hand_over = message.has_others === true;
    const order = { device_id, event_id, command, deadline_mono_ms, credentials, can_hand_over };
    const outcome = await commander.execute(order, tasks.signal);
    if (!hasRunOut(deps, outcome, deadline_mono_ms)) return resultOf(outcome);
    logger.warn({ event_id, device_id, command: command.name }, 'the time of a command ran out');
    return null;
  }

  function forgetOld(): void {
    for (const [event_id, { at_ms, isOver }] of known) {
      const isOld = clock.monotonic() - at_ms > REMEMBERED_MS || known.size > REMEMBERED_MAX;
      if (!isOver || !isOld) break;
      known.delete(event_id);
    }
  }

  return {
    handle(message) {
      const { event_id } = message;
      const before = known.get(event_id);
      if (before !== undefined) {
        // A command that still runs records its own result.
        if (before.result !== null) tasks.add(keep(message, before.result));
        return;
      }
      const command: KnownCommand = { at_ms: clock.monotonic(), isOver: false, result: null };
      known.set(event_id, command);
      const { product_id, device_id } = message;
      logger.info({ event_id, product_id, device_id, command: message.command.name }, 'command received');
      const done = run(message).then((result) => {
        command.isOver = true;
        command.result = result;
        forgetOld();
        return result === null ? undefined : keep(message, result);
      });
      tasks.add(done);
    },
    close: tasks.close,
  };
}

/** Returns null when one of them cannot be read. */
function credentialsOf({ credential, set_time_credential }: CommandMessage): CommandCredentials | null {
  const command = decodeCredential(credential);
  const set_time = decodeCredential(set_time_credential);
  return command === null || set_time === null ? null : { command, set_time };
}

function resultOf(outcome: CommandOutcome): Result {
  if (outcome.outcome === 'succeeded') {
    const status = statusOf(outcome.block);
    return { outcome: 'succeeded', gateway_error_type: null, authenticated: true, refused_late: false, status };
  }
  return {
    outcome: 'failed',
    gateway_error_type: outcome.type,
    authenticated: outcome.authenticated,
    refused_late: false,
    // The state of a moving product is not known yet; a report follows when it rests.
    status: outcome.authenticated && outcome.block.state !== 'moving' ? statusOf(outcome.block) : null,
  };
}

function statusOf(block: StatusBlock): ProductStatus {
  return {
    state: block.state === 'moving' ? 'unknown' : block.state,
    permanent_position: block.permanentPosition,
    is_car_on_top: block.carOnTop,
    is_autoclose: block.autoClose,
    autoclose_time: block.autocloseS,
    battery_status: block.battery,
    errors: block.errors,
  };
}
