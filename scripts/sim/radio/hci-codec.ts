/** The part of HCI (Bluetooth Core, volume 4 part E) that noble and bleno use: opcodes, statuses and events. Pure. */
import { H4_EVENT } from '../../../agent/product/hci/h4-parser.js';

export const OPCODE = {
  disconnect: 0x0406,
  setEventMask: 0x0c01,
  reset: 0x0c03,
  readLeHostSupported: 0x0c6c,
  writeLeHostSupported: 0x0c6d,
  readLocalVersion: 0x1001,
  readBufferSize: 0x1005,
  readAddress: 0x1009,
  readRssi: 0x1405,
  leSetEventMask: 0x2001,
  leReadBufferSize: 0x2002,
  leSetAdvertisingParameters: 0x2006,
  leSetAdvertisingData: 0x2008,
  leSetScanResponse: 0x2009,
  leSetAdvertising: 0x200a,
  leSetScanParameters: 0x200b,
  leSetScan: 0x200c,
  leConnect: 0x200d,
  leCancelConnect: 0x200e,
  leUpdateConnection: 0x2013,
} as const;

export const STATUS = {
  ok: 0x00,
  unknownCommand: 0x01,
  unknownConnection: 0x02,
  connectionTimeout: 0x08,
  connectionLimit: 0x09,
  connectionExists: 0x0b,
  disallowed: 0x0c,
  remoteEnded: 0x13,
  localEnded: 0x16,
} as const;

/** Connection parameters in HCI's units: 1.25 ms, connection events, 10 ms. */
export interface ConnectionParameters {
  interval: number;
  latency: number;
  supervisionTimeout: number;
}

const EVENT = { disconnected: 0x05, commandComplete: 0x0e, commandStatus: 0x0f, packetsSent: 0x13, le: 0x3e };
const LE_EVENT = { connected: 0x01, report: 0x02, updated: 0x03 };

export function commandComplete(opcode: number, status: number, result: Buffer = Buffer.alloc(0)): Buffer {
  return event(EVENT.commandComplete, [1, ...u16(opcode), status, ...result]);
}

export function commandStatus(opcode: number, status: number): Buffer {
  return event(EVENT.commandStatus, [status, 1, ...u16(opcode)]);
}

export function disconnected(handle: number, reason: number): Buffer {
  return event(EVENT.disconnected, [0, ...u16(handle), reason]);
}

/** Number Of Completed Packets: the controller has sent one of the host's data packets. */
export function packetSent(handle: number): Buffer {
  return event(EVENT.packetsSent, [1, ...u16(handle), ...u16(1)]);
}

export function connected(options: {
  status: number;
  handle: number;
  role: 'central' | 'peripheral';
  peer: Buffer;
  parameters: ConnectionParameters;
}): Buffer {
  const { status, handle, role, peer, parameters } = options;
  const head = [LE_EVENT.connected, status, ...u16(handle), role === 'central' ? 0 : 1, 0, ...peer];
  return event(EVENT.le, [...head, ...parameterBytes(parameters), 0]);
}

export function connectionUpdated(handle: number, parameters: ConnectionParameters): Buffer {
  return event(EVENT.le, [LE_EVENT.updated, STATUS.ok, ...u16(handle), ...parameterBytes(parameters)]);
}

/** @param type 0 connectable advertisement, 4 scan response; @param rssi dBm */
export function advertisingReport(options: { type: number; address: Buffer; data: Buffer; rssi: number }): Buffer {
  const { type, address, data, rssi } = options;
  return event(EVENT.le, [LE_EVENT.report, 1, type, 0, ...address, data.length, ...data, rssi & 0xff]);
}

/** LE Create Connection. */
export interface ConnectCommand {
  /** Address, little-endian. */
  peer: Buffer;
  parameters: ConnectionParameters;
}

export function decodeConnect(command: Buffer): ConnectCommand {
  return {
    peer: Buffer.from(command.subarray(6, 12)),
    parameters: {
      interval: command.readUInt16LE(15),
      latency: command.readUInt16LE(17),
      supervisionTimeout: command.readUInt16LE(19),
    },
  };
}

/** The parameters of LE Connection Update; the longest requested interval counts. */
export function decodeConnectionUpdate(command: Buffer): ConnectionParameters {
  return {
    interval: command.readUInt16LE(4),
    latency: command.readUInt16LE(6),
    supervisionTimeout: command.readUInt16LE(8),
  };
}

/** The address `a4c138000001` as HCI writes it: little-endian. */
export function addressBytes(address: string): Buffer {
  return Buffer.from(address, 'hex').reverse();
}

export function u16(value: number): [number, number] {
  return [value & 0xff, value >> 8];
}

function parameterBytes(parameters: ConnectionParameters): number[] {
  return [...u16(parameters.interval), ...u16(parameters.latency), ...u16(parameters.supervisionTimeout)];
}

function event(code: number, payload: number[]): Buffer {
  return Buffer.from([H4_EVENT, code, payload.length, ...payload]);
}
