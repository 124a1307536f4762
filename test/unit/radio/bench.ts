/** What the tests of the radio's parts share. */
import { type NobleRadioLimits, type NobleRadioOptions } from '../../../agent/product/noble/noble-radio.js';
import type { HciTransport } from '../../../agent/product/hci/hci-transport.js';
import type { Radio } from '../../../agent/product/radio.js';
import type { Logger } from '../../../shared/logger.js';
import { type PeripheralOptions, startPeripheral } from '../../../scripts/sim/radio/bleno-peripheral.js';
import type { Peripheral } from '../../../scripts/sim/radio/product-air.js';
import { createVirtualRadio, type VirtualRadio } from '../../../scripts/sim/radio/virtual-radio.js';
import { GATEWAY } from './gateway.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { nobleRadio } from '../../world/test-radios.js';

export { GATEWAY } from './gateway.js';
export const PRODUCT = 'a4c138000001';

export async function until(condition: () => boolean): Promise<void> {
  await waitUntil(String(condition), condition);
}

export function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'it succeeded',
    (error: unknown) => error,
  );
}

/** A logger that keeps what it is told from `warn` on: each message alone, and as a complaint with its fields as JSON. */
export function keepingLogger(): { logger: Logger; messages: string[]; complaints: string[] } {
  const messages: string[] = [];
  const complaints: string[] = [];
  const keep = (fields: Record<string, unknown>, message: string) => {
    messages.push(message);
    complaints.push(`${message} ${JSON.stringify(fields)}`);
  };
  return { logger: { debug() {}, info() {}, warn: keep, error: keep }, messages, complaints };
}

export function advertisement(mark = 0): Uint8Array {
  const data = Buffer.alloc(25, mark);
  data.set([0xff, 0xff, 0x50, 0x11]);
  return new Uint8Array(data);
}

/** A product that answers each write with the same bytes. */
export async function echoingProduct(
  air: VirtualRadio,
  options: Partial<PeripheralOptions> & { address?: string } = {},
): Promise<Peripheral> {
  const { address = PRODUCT, ...rest } = options;
  const product: Peripheral = await startPeripheral({
    transport: air.openTransport({ role: 'peripheral', name: address }),
    manufacturerData: advertisement(),
    info: () => Uint8Array.of(1, 2, 3),
    onWrite: (fragment) => void product.notify(fragment),
    ...rest,
  });
  return product;
}

/** The traffic from the gateway's host to its adapter. */
export interface Traffic {
  /** H4 commands and data, as hex. */
  sent: string[];
  /** Packets that the adapter is not to see. */
  swallow: ((packet: string) => boolean) | undefined;
}

export interface NobleBench {
  air: VirtualRadio;
  radio: Radio;
  complaints: string[];
  traffic: Traffic;
}

export type NobleBenchOptions = Partial<Omit<NobleRadioOptions, 'limits'> & { limits: Partial<NobleRadioLimits> }>;

/** noble in this process; `clock` is the driver's, noble itself has real time. */
export function nobleBench(options: NobleBenchOptions = {}): NobleBench {
  const air = createVirtualRadio({ random: Math.random });
  const traffic: Traffic = { sent: [], swallow: undefined };
  const { logger, complaints } = keepingLogger();
  const open = () => recording(air.openTransport({ role: 'central', name: GATEWAY }), traffic);
  const { limits, ...over } = options;
  const radio = nobleRadio({ kind: 'transport', open }, { logger, ...over }, limits);
  return { air, radio, complaints, traffic };
}

function recording(transport: HciTransport, traffic: Traffic): HciTransport {
  return {
    get up() {
      return transport.up;
    },
    closed: transport.closed,
    write(packet) {
      const hex = packet.toString('hex');
      traffic.sent.push(hex);
      if (!traffic.swallow?.(hex)) transport.write(packet);
    },
    onPacket: (listener) => transport.onPacket(listener),
    close: () => transport.close(),
  };
}
