/** Every command of the protocol, with its code, its parameters, and what a token must allow for it. */
import { ADMIN_RECORD_LENGTH } from './admin-record.js';
import { concatBytes, readUint, uintBytes } from './bytes.js';
import type { PermanentPosition } from './status-block.js';
import { SLOTS, type TokenOp } from './token-codec.js';

export type ProtocolCommand =
  | { name: MovementName | 'status' | 'clear_stay_open' | 'clear_stay_close' }
  /** Seconds since 1970. */
  | { name: 'set_time'; timeS: number }
  /** Seconds: 1..255. */
  | { name: 'autoclose'; on: boolean; seconds: number }
  /** A complete admin record (`admin-record.ts`). */
  | { name: 'admin'; record: Uint8Array };
export type CommandName = ProtocolCommand['name'];
export type MovementName = 'open' | 'close' | 'force_close' | 'stay_open' | 'stay_close';

interface CommandRule {
  code: number;
  op: TokenOp;
  /** The senders that may use it: everybody; cloud and gateways; or cloud, gateways and installer. */
  slots: 'any' | 'managed' | 'managed_or_installer';
  paramsLength: number;
}

const COMMAND_RULES: Readonly<Record<CommandName, CommandRule>> = {
  open: { code: 0x01, op: 'open', slots: 'any', paramsLength: 0 },
  close: { code: 0x02, op: 'close', slots: 'any', paramsLength: 0 },
  status: { code: 0x03, op: 'status', slots: 'any', paramsLength: 0 },
  force_close: { code: 0x10, op: 'close', slots: 'managed', paramsLength: 0 },
  stay_open: { code: 0x11, op: 'open', slots: 'managed', paramsLength: 0 },
  stay_close: { code: 0x12, op: 'close', slots: 'managed', paramsLength: 0 },
  clear_stay_open: { code: 0x13, op: 'open', slots: 'managed', paramsLength: 0 },
  clear_stay_close: { code: 0x14, op: 'close', slots: 'managed', paramsLength: 0 },
  set_time: { code: 0x20, op: 'status', slots: 'managed_or_installer', paramsLength: 4 },
  autoclose: { code: 0x21, op: 'status', slots: 'managed', paramsLength: 2 },
  admin: { code: 0x22, op: 'status', slots: 'managed', paramsLength: ADMIN_RECORD_LENGTH },
};

export const COMMAND_NAMES = Object.keys(COMMAND_RULES) as CommandName[];

/** Returns the operation that a token for this command must have. */
export function requiredOp(name: CommandName): TokenOp {
  return COMMAND_RULES[name].op;
}

/** Says whether a token of this operation and slot may carry the command. */
export function isCommandAllowed(name: CommandName, { op, slot }: { op: TokenOp | null; slot: number }): boolean {
  const rule = COMMAND_RULES[name];
  if (op !== rule.op) return false;
  if (isManagedSlot(slot)) return true;
  if (slot === SLOTS.installer) return rule.slots !== 'managed';
  return slot === SLOTS.guests && rule.slots === 'any';
}

/** Says whether the slot belongs to the cloud or a gateway. */
export function isManagedSlot(slot: number): boolean {
  return slot <= SLOTS.lastGateway;
}

/** A movement: its direction, what it may ignore, and the permanent position that it sets. */
export interface Movement {
  target: 'opened' | 'closed';
  ignoresDirtySensor: boolean;
  setsPosition: Exclude<PermanentPosition, 'disabled'> | null;
}

/** The commands that move the product, each with its movement. */
export const MOVEMENTS: Readonly<Record<MovementName, Movement>> = {
  open: { target: 'opened', ignoresDirtySensor: false, setsPosition: null },
  close: { target: 'closed', ignoresDirtySensor: false, setsPosition: null },
  force_close: { target: 'closed', ignoresDirtySensor: true, setsPosition: null },
  stay_open: { target: 'opened', ignoresDirtySensor: false, setsPosition: 'stay_open' },
  stay_close: { target: 'closed', ignoresDirtySensor: false, setsPosition: 'stay_close' },
};

/** Says whether a command moves the product towards closed. */
export const isClosing = (name: string): boolean =>
  Object.entries(MOVEMENTS).some(([movement, { target }]) => movement === name && target === 'closed');

/** @throws RangeError for a parameter that is out of its range */
export function encodeCommand(command: ProtocolCommand): { code: number; params: Uint8Array } {
  const params = encodeParams(command);
  const { code, paramsLength } = COMMAND_RULES[command.name];
  if (params.length !== paramsLength) {
    throw new RangeError(`${command.name} has ${paramsLength} bytes of parameters, not ${params.length}`);
  }
  return { code, params };
}

/** Decodes a command; null when it is unknown or its parameters do not fit. */
export function decodeCommand(code: number, params: Uint8Array): ProtocolCommand | null {
  const name = COMMAND_NAMES.find((candidate) => COMMAND_RULES[candidate].code === code);
  if (name === undefined || params.length !== COMMAND_RULES[name].paramsLength) return null;
  switch (name) {
    case 'set_time':
      return { name, timeS: readUint(params, 0, 4) };
    case 'autoclose': {
      const on = readUint(params, 0, 1);
      const seconds = readUint(params, 1, 1);
      return on > 1 || seconds === 0 ? null : { name, on: on === 1, seconds };
    }
    case 'admin':
      return { name, record: params };
    default:
      return { name };
  }
}

function encodeParams(command: ProtocolCommand): Uint8Array {
  switch (command.name) {
    case 'set_time':
      return uintBytes(command.timeS, 4);
    case 'autoclose':
      if (command.seconds === 0) throw new RangeError('auto-close accepts 1 to 255 seconds');
      return concatBytes(Uint8Array.of(command.on ? 1 : 0), uintBytes(command.seconds, 1));
    case 'admin':
      return command.record;
    default:
      return new Uint8Array(0);
  }
}
