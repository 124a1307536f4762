import { createHash } from 'node:crypto';
import { deferred } from '../../../agent/waiting/deferred.js';
import type { HciTransport } from '../../../agent/product/hci/hci-transport.js';
import type { RadioIdentity } from '../../../agent/product/hci/hub-codec.js';
import { createPacketPacer } from '../../../agent/product/hci/packet-pacer.js';
import type { Clock } from '../../../shared/clock.js';
import { systemClock } from '../../../shared/system-clock.js';
import type { Air } from './air.js';
import { createPaths, type Pair, type Paths, type PathSettings } from './paths.js';
import { type Host, VirtualController } from './virtual-controller.js';

export interface VirtualRadio extends Paths {
  /** Puts a controller on the air, after it removed one of the same name. */
  attach(identity: RadioIdentity, host: Host): VirtualController;
  detach(controller: VirtualController): void;
  /** The same for a host in this process. */
  openTransport(identity: RadioIdentity): HciTransport;
  /** Switches an adapter's power, now and when it joins again. `name` as in RadioIdentity. */
  setPower(name: string, up: boolean): void;
  /** Lets an adapter ignore its next orders to end a link, as faulty firmware does. `count`: how many. */
  forgetEnds(name: string, count: number): void;
  /** Names of all controllers on the air. */
  attached(): RadioIdentity[];
  /** The open links. */
  links(): Pair[];
  /** Takes everything off the air. */
  close(): void;
}

export interface VirtualRadioOptions {
  /** Numbers in [0, 1): which packets are lost, and the jitter of advertisements. */
  random: () => number;
  clock?: Clock;
  /** Settings of paths that were never set. */
  defaults?: Partial<PathSettings>;
}

/** An emulated radio: controllers hear each other as far as the paths between them allow. */
export function createVirtualRadio(options: VirtualRadioOptions): VirtualRadio {
  const { random, clock = systemClock } = options;
  const controllers = new Map<string, VirtualController>();
  const poweredOff = new Set<string>();
  const paths = createPaths({
    defaults: options.defaults,
    onChange() {
      for (const controller of controllers.values()) for (const link of controller.links.values()) link.reconsider();
    },
  });
  const air: Air<VirtualController> = {
    clock,
    random,
    *centrals() {
      for (const controller of controllers.values()) if (controller.identity.role === 'central') yield controller;
    },
    pathBetween: (peripheral, central) => paths.path({ product: peripheral.address, central: central.identity.name }),
  };
  const detach = (controller: VirtualController) => {
    controller.detach();
    if (controllers.get(controller.identity.name) === controller) controllers.delete(controller.identity.name);
  };
  const attach = (identity: RadioIdentity, host: Host) => {
    const previous = controllers.get(identity.name);
    if (previous !== undefined) detach(previous);
    const controller = new VirtualController(air, identity, addressOf(identity), host, !poweredOff.has(identity.name));
    controllers.set(identity.name, controller);
    return controller;
  };

  return {
    attach,
    detach,
    openTransport: (identity) => openTransport((host) => attach(identity, host), detach),
    ...paths,
    setPower(name, up) {
      if (up) poweredOff.delete(name);
      else poweredOff.add(name);
      controllers.get(name)?.setPower(up);
    },
    forgetEnds(name, count) {
      const controller = controllers.get(name);
      if (controller === undefined) throw new Error(`${name} is not on the air`);
      controller.endsToForget = count;
    },
    attached: () => [...controllers.values()].map((controller) => controller.identity),
    links: () =>
      [...air.centrals()].flatMap((central) =>
        [...central.links.values()].map((link) => ({
          product: link.peripheral.address,
          central: central.identity.name,
        })),
      ),
    close() {
      for (const controller of controllers.values()) detach(controller);
    },
  };
}

/** A product's address is its device_id; a gateway's follows from its name. */
function addressOf(identity: RadioIdentity): string {
  if (identity.role === 'central') return createHash('sha256').update(identity.name).digest('hex').slice(0, 12);
  if (!/^[0-9a-f]{12}$/.test(identity.name)) {
    throw new Error(
      `A product joins the emulated radio by its device_id, 12 lower-case hex digits, not by ${JSON.stringify(identity.name)}`,
    );
  }
  return identity.name;
}

function openTransport(
  attach: (host: Host) => VirtualController,
  detach: (controller: VirtualController) => void,
): HciTransport {
  const listeners = new Set<(packet: Buffer) => void>();
  const pacer = createPacketPacer((packet) => {
    for (const listener of listeners) listener(packet);
  });
  const closed = deferred<void>();
  const detached = () => {
    pacer.stop();
    closed.resolve();
  };
  const controller = attach({ send: (packet) => pacer.push(packet), power: () => {}, detached });
  return {
    get up() {
      return controller.up;
    },
    closed: closed.promise,
    write: (packet) => controller.receive(packet),
    onPacket(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => detach(controller),
  };
}
