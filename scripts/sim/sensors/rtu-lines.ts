/** Serial lines with Modbus units on them, here or behind a serial device server: each answers what is asked of it, and is silent otherwise. */
import { answerTo, EXCEPTION, readRequestOf, type ReadValue, refusalOf } from './modbus-answer.js';
import { rtuFrame, type RtuRequest, parseRtuRequests } from './rtu-frames.js';
import { openSerialDevice, type SerialDevice } from './serial-device.js';
import { openSerialServer } from './serial-server.js';

/** By their paths, or by host:port: several parking gateways may be on one line. */
export interface RtuLines {
  /** Puts a unit on the line, which is made if it is the first. @throws when the line cannot be made, or has such a unit */
  addUnit(address: string, unit: number, read: ReadValue): Promise<void>;
  close(): Promise<void>;
}

interface Line {
  device: SerialDevice;
  units: Map<number, ReadValue>;
}

export function createRtuLines(): RtuLines {
  const lines = new Map<string, Line>();

  async function openLine(address: string): Promise<Line> {
    const units: Line['units'] = new Map();
    let waiting: Buffer = Buffer.alloc(0);
    const open = address.startsWith('/') ? openSerialDevice : openSerialServer;
    const device = await open({ path: address }, (bytes) => {
      const { requests, rest } = parseRtuRequests(Buffer.concat([waiting, bytes]));
      waiting = rest;
      for (const request of requests) answer(request);
    });
    function answer({ unit, pdu }: RtuRequest): void {
      const read = units.get(unit);
      if (read === undefined) return;
      const request = readRequestOf(pdu);
      const refused = refusalOf(pdu.readUInt8(0), EXCEPTION.illegalFunction);
      device.write(rtuFrame(unit, request === null ? refused : answerTo(request, read)));
    }
    const line = { device, units };
    lines.set(address, line);
    return line;
  }

  return {
    async addUnit(address, unit, read) {
      const { units } = lines.get(address) ?? (await openLine(address));
      if (units.has(unit)) throw new Error(`unit ${unit} is on the line already: each needs a number of its own`);
      units.set(unit, read);
    },
    async close() {
      await Promise.all([...lines.values()].map(({ device }) => device.close()));
      lines.clear();
    },
  };
}
