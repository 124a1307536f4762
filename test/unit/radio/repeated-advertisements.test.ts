import { beforeEach, describe, expect, it } from 'vitest';
import { createRepeatFilter } from '../../../agent/product/noble/repeated-advertisements.js';
import * as fc from '../../property.js';
import { FakeClock } from '../../world/fake-clock.js';

const REPEAT_MS = 500;

interface Report {
  address?: number;
  kind?: number;
  data?: readonly number[];
  rssi?: number;
}

/** An HCI event "LE Advertising Report" of one device. */
function reportOf({ address = 1, kind = 0, data = [2, 1, 6], rssi = -60 }: Report = {}): Buffer {
  const sender = Buffer.alloc(8);
  sender.writeUInt8(kind, 0);
  sender.writeUInt32LE(address, 2);
  const body = Buffer.from([2, 1, ...sender, data.length, ...data, rssi & 0xff]);
  return Buffer.from([4, 0x3e, body.length, ...body]);
}

describe('what noble has to see of the adapter', () => {
  let clock: FakeClock;
  let isWanted: (packet: Buffer) => boolean;

  beforeEach(() => {
    clock = new FakeClock();
    isWanted = createRepeatFilter({ clock, repeatMs: REPEAT_MS });
  });

  it('is an advertisement once within the time, however strong its repetitions are', async () => {
    expect(isWanted(reportOf())).toBe(true);
    expect(isWanted(reportOf({ rssi: -80 }))).toBe(false);
    await clock.advance(REPEAT_MS - 1);
    expect(isWanted(reportOf())).toBe(false);
    await clock.advance(1);
    expect(isWanted(reportOf())).toBe(true);
  });

  it('is at once what differs, even if it was said before', () => {
    expect(isWanted(reportOf({ data: [1] }))).toBe(true);
    expect(isWanted(reportOf({ data: [2] }))).toBe(true);
    expect(isWanted(reportOf({ data: [1] }))).toBe(true);
    expect(isWanted(reportOf({ data: [1, 0] }))).toBe(true);
  });

  it('is what each device says, and its answer to a scan beside its advertisement', () => {
    expect(isWanted(reportOf({ address: 1 }))).toBe(true);
    expect(isWanted(reportOf({ address: 2 }))).toBe(true);
    expect(isWanted(reportOf({ address: 2, kind: 4 }))).toBe(true);
    expect(isWanted(reportOf({ address: 1 }))).toBe(false);
    expect(isWanted(reportOf({ address: 2, kind: 4 }))).toBe(false);
  });

  it('is everything that is no advertisement of one device, each time', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const packet = Buffer.from(bytes);
        const isOneReport = packet[0] === 4 && packet[1] === 0x3e && packet[3] === 2 && packet[4] === 1;
        fc.pre(!isOneReport);
        return isWanted(packet) && isWanted(packet);
      }),
    );
    expect([isWanted(reportOf().subarray(0, 13)), isWanted(reportOf().subarray(0, 13))]).toEqual([true, true]);
  });

  it('does not depend on the memory of a packet, which is used again', () => {
    const packet = reportOf({ data: [1] });
    expect(isWanted(packet)).toBe(true);
    packet[packet.length - 2] = 2;
    expect(isWanted(packet)).toBe(true);
  });

  it('is remembered of the latest 2,000 senders', () => {
    for (let address = 0; address <= 2_000; address++) expect(isWanted(reportOf({ address }))).toBe(true);
    expect(isWanted(reportOf({ address: 1 }))).toBe(false);
    expect(isWanted(reportOf({ address: 0 }))).toBe(true);
  });
});
