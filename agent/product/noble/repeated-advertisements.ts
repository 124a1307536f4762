import type { Clock } from '../../../shared/clock.js';
import { keepNewest } from '../../../shared/keep-newest.js';

/** An HCI packet: an event of kind "LE Meta", subevent "Advertising Report", of one device. */
const EVENT_PACKET = 0x04;
const LE_META = 0x3e;
const ADVERTISING_REPORT = 0x02;
/** Kind of advertisement, kind of address and address, which together say whose words these are. */
const SENDER = { from: 5, to: 13 };
/** The last byte is the strength of the signal, which differs each time. */
const RSSI_BYTES = 1;
/** How many senders are remembered; those passed on longest ago are forgotten first. */
const SENDERS_MAX = 2_000;

/**
 * Says which packets of an adapter noble has to see. A car park's products say the same ten times a second each, and noble spends
 * most of its time on taking that apart: an advertisement that repeats what its sender said less than `repeatMs` ago may be left out.
 * @returns whether the packet says something new; true for whatever is no advertisement
 */
export function createRepeatFilter(options: { clock: Clock; repeatMs: number }): (packet: Buffer) => boolean {
  const { clock, repeatMs } = options;
  const passed = new Map<string, { atMs: number; packet: Buffer }>();
  return (packet) => {
    if (packet[0] !== EVENT_PACKET || packet[1] !== LE_META || packet[3] !== ADVERTISING_REPORT || packet[4] !== 1)
      return true;
    if (packet.length <= SENDER.to) return true;
    const sender = packet.toString('latin1', SENDER.from, SENDER.to);
    const before = passed.get(sender);
    const nowMs = clock.monotonic();
    if (before !== undefined && nowMs - before.atMs < repeatMs && saysTheSame(before.packet, packet)) return false;
    passed.delete(sender);
    // The memory of a packet may be used for the next one.
    passed.set(sender, { atMs: nowMs, packet: Buffer.from(packet) });
    keepNewest(passed, SENDERS_MAX);
    return true;
  };
}

const saysTheSame = (before: Buffer, packet: Buffer): boolean =>
  before.length === packet.length &&
  before.compare(packet, 0, packet.length - RSSI_BYTES, 0, before.length - RSSI_BYTES) === 0;
