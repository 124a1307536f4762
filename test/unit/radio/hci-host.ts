import { OPCODE, u16 } from '../../../scripts/sim/radio/hci-codec.js';
import type { VirtualController } from '../../../scripts/sim/radio/virtual-controller.js';
import type { VirtualRadio } from '../../../scripts/sim/radio/virtual-radio.js';

/** A host that speaks plain HCI, without noble or bleno. */
export interface HciHost {
  readonly controller: VirtualController;
  /** All packets it got, as hex. */
  readonly packets: string[];
  command(opcode: number, ...parameters: number[]): void;
  data(handle: number, text: string): void;
  /** The handle of its last connection. */
  handle(): number;
  /** Reasons of its ended connections. */
  ended(): number[];
  /** What it received on any connection. */
  received(): string[];
}

export function attachCentral(radio: VirtualRadio, name: string): HciHost {
  return attach(radio, { role: 'central', name });
}

/** Advertises `data` each 100 ms. */
export function attachProduct(radio: VirtualRadio, name: string, data = [0x01]): HciHost {
  const host = attach(radio, { role: 'peripheral', name });
  host.command(OPCODE.leSetAdvertisingParameters, ...u16(160), ...u16(160), 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0);
  host.command(OPCODE.leSetAdvertisingData, data.length, ...data);
  host.command(OPCODE.leSetAdvertising, 1);
  return host;
}

/** Parameters of LE Create Connection: supervision timeout 420 ms, interval 22.5 ms, as noble asks for. */
export function connectParameters(address: string): number[] {
  const peer = [...Buffer.from(address, 'hex').reverse()];
  return [
    ...u16(0x60),
    ...u16(0x30),
    0,
    0,
    ...peer,
    0,
    ...u16(6),
    ...u16(18),
    ...u16(0),
    ...u16(42),
    ...u16(4),
    ...u16(6),
  ];
}

function attach(radio: VirtualRadio, identity: { role: 'central' | 'peripheral'; name: string }): HciHost {
  const packets: string[] = [];
  const controller = radio.attach(identity, {
    send: (packet) => packets.push(packet.toString('hex')),
    power: () => {},
    detached: () => packets.push('detached'),
  });
  const matching = (prefix: string) =>
    packets.filter((packet) => packet.startsWith(prefix)).map((packet) => Buffer.from(packet, 'hex'));
  return {
    controller,
    packets,
    command: (opcode, ...parameters) =>
      controller.receive(Buffer.from([1, ...u16(opcode), parameters.length, ...parameters])),
    data(handle, text) {
      controller.receive(Buffer.concat([Buffer.from([2, ...u16(handle), ...u16(text.length)]), Buffer.from(text)]));
    },
    handle: () => matching('043e1301').at(-1)?.readUInt16LE(5) ?? 0,
    ended: () => matching('040504').map((packet) => packet.readUInt8(6)),
    received: () => matching('02').map((packet) => packet.subarray(5).toString()),
  };
}
