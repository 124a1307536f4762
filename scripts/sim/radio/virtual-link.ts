import type { Air, AirEnd } from './air.js';
import { type ConnectionParameters, STATUS } from './hci-codec.js';

/** A connection interval is 1.25 ms times its parameter; a supervision timeout is 10 ms times its own. */
const INTERVAL_UNIT_MS = 1.25;
const TIMEOUT_UNIT_MS = 10;

/** The part of a controller that a link needs at each of its ends. */
export interface LinkEnd extends AirEnd {
  readonly addressBytes: Buffer;
  receiveData(link: VirtualLink, packet: Buffer): void;
  dataSent(link: VirtualLink): void;
  parametersUpdated(link: VirtualLink): void;
  /** @param reason an HCI status */
  linkEnded(link: VirtualLink, reason: number): void;
}

type Item = { packet: Buffer } | { terminate: number };

/** The items that wait in one direction; `busy` while an item travels. */
interface PacketQueue {
  from: LinkEnd;
  to: LinkEnd;
  items: Item[];
  busy: boolean;
}

/**
 * A connection between two controllers. The link layer is reliable: a lost packet is sent again at the next connection event, and
 * a link ends only when somebody ends it or when nothing gets through for the supervision timeout.
 */
export class VirtualLink {
  private readonly queues: readonly [PacketQueue, PacketQueue];
  private readonly absent = new Set<LinkEnd>();
  private supervision: { cancel(): void } | undefined;
  private ended = false;

  constructor(
    private readonly air: Air<AirEnd>,
    readonly central: LinkEnd,
    readonly peripheral: LinkEnd,
    public parameters: ConnectionParameters,
  ) {
    this.queues = [
      { from: central, to: peripheral, items: [], busy: false },
      { from: peripheral, to: central, items: [], busy: false },
    ];
  }

  peerOf(controller: LinkEnd): LinkEnd {
    return controller === this.central ? this.peripheral : this.central;
  }

  send(from: LinkEnd, packet: Buffer): void {
    this.enqueue(from, { packet });
  }

  /** Ends the link after everything that the host sent before. */
  terminate(from: LinkEnd, reason: number): void {
    this.enqueue(from, { terminate: reason });
  }

  /** One end forgets the link without notice: it was powered off or reset, or its process died. The other end notices by the timeout. */
  vanish(controller: LinkEnd): void {
    this.absent.add(controller);
    if (this.absent.size === 2) this.end(STATUS.connectionTimeout, STATUS.connectionTimeout);
    else this.reconsider();
  }

  /** To be called when range, loss or power of an end has changed. */
  reconsider(): void {
    if (this.ended) return;
    if (this.isReachable()) {
      this.supervision?.cancel();
      this.supervision = undefined;
      for (const queue of this.queues) this.pump(queue);
    } else {
      this.supervision ??= this.air.clock.setTimer(this.parameters.supervisionTimeout * TIMEOUT_UNIT_MS, () => {
        this.end(STATUS.connectionTimeout, STATUS.connectionTimeout);
      });
    }
  }

  private enqueue(from: LinkEnd, item: Item): void {
    const queue = this.queues[from === this.central ? 0 : 1];
    queue.items.push(item);
    this.pump(queue);
  }

  private isReachable(): boolean {
    const path = this.air.pathBetween(this.peripheral, this.central);
    return this.absent.size === 0 && path.inRange && path.loss < 1;
  }

  private pump(queue: PacketQueue): void {
    while (!this.ended && !queue.busy && queue.items.length > 0 && this.isReachable()) {
      const path = this.air.pathBetween(this.peripheral, this.central);
      if (path.loss > 0 && this.air.random() < path.loss) {
        this.pumpLater(queue, this.parameters.interval * INTERVAL_UNIT_MS, () => {});
      } else if (path.latencyMs > 0) {
        this.pumpLater(queue, path.latencyMs, () => this.deliverNext(queue));
      } else {
        this.deliverNext(queue);
      }
    }
  }

  private pumpLater(queue: PacketQueue, delayMs: number, then: () => void): void {
    queue.busy = true;
    this.air.clock.setTimer(delayMs, () => {
      queue.busy = false;
      if (this.ended) return;
      if (this.isReachable()) then();
      this.pump(queue);
    });
  }

  private deliverNext(queue: PacketQueue): void {
    const item = queue.items.shift();
    if (item === undefined) return;
    if ('packet' in item) {
      queue.to.receiveData(this, item.packet);
      queue.from.dataSent(this);
    } else if (queue.from === this.central) this.end(STATUS.localEnded, item.terminate);
    else this.end(item.terminate, STATUS.localEnded);
  }

  private end(reasonOfCentral: number, reasonOfPeripheral: number): void {
    if (this.ended) return;
    this.ended = true;
    this.supervision?.cancel();
    this.central.linkEnded(this, reasonOfCentral);
    this.peripheral.linkEnded(this, reasonOfPeripheral);
  }
}
