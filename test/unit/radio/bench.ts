/** What the tests of the radio's parts share. */
import { createNobleRadio, type NobleRadioOptions } from '../../../agent/product/noble-radio.js';
import type { HciTransport } from '../../../agent/product/hci/hci-transport.js';
import type { Radio } from '../../../agent/product/radio.js';
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { type Peripheral, type PeripheralOptions, startPeripheral } from '../../sim/radio/bleno-peripheral.js';
import { createVirtualRadio, type VirtualRadio } from '../../sim/radio/virtual-radio.js';
import { vi } from 'vitest';

export const GATEWAY = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';
export const PRODUCT = 'a4c138000001';

export function until(condition: () => boolean): Promise<void> {
  return vi.waitUntil(condition, { timeout: 20_000, interval: 10 }).then(() => {});
}

export function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'it succeeded',
    (error: unknown) => error,
  );
}

/** A logger that keeps what it is told from `warn` on. */
export function keepingLogger(): { logger: Logger; complaints: string[] } {
  const complaints: string[] = [];
  const keep = (_fields: Record<string, unknown>, message: string) => void complaints.push(message);
  return { logger: { debug() {}, info() {}, warn: keep, error: keep }, complaints };
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

export interface NobleBench {
  air: VirtualRadio;
  radio: Radio;
  /** H4 commands and data the gateway's host sent, as hex. */
  sent: string[];
  complaints: string[];
}

/** noble in this process; `clock` is the driver's, noble itself has real time. */
export function nobleBench(options: Partial<NobleRadioOptions> & { clock?: Clock } = {}): NobleBench {
  const air = createVirtualRadio({ random: Math.random });
  const sent: string[] = [];
  const { logger, complaints } = keepingLogger();
  const radio = createNobleRadio({
    hci: { kind: 'transport', open: () => recording(air.openTransport({ role: 'central', name: GATEWAY }), sent) },
    clock: systemClock,
    logger,
    random: Math.random,
    ...options,
  });
  return { air, radio, sent, complaints };
}

function recording(transport: HciTransport, sent: string[]): HciTransport {
  return {
    get up() {
      return transport.up;
    },
    closed: transport.closed,
    write(packet) {
      sent.push(packet.toString('hex'));
      transport.write(packet);
    },
    onPacket: (listener) => transport.onPacket(listener),
    close: () => transport.close(),
  };
}
