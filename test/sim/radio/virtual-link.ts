import type { Air } from './virtual-radio.js';
import type { VirtualController } from './virtual-controller.js';
import { type ConnectionParameters, STATUS } from './hci-codec.js';

/** One connection interval is 1.25 ms times the parameter; a supervision timeout 10 ms times it. */
const INTERVAL_UNIT_MS = 1.25;
const TIMEOUT_UNIT_MS = 10;

type Item = { packet: Buffer } | { terminate: number };

/** What waits in one direction; `busy` while an item is on its way. */
interface Lane {
  from: VirtualController;
  to: VirtualController;
  items: Item[];
  busy: boolean;
}

/**
 * A connection between two controllers. The link layer is reliable: a lost packet is sent again at the next connection event, and
 * a link ends only when somebody ends it or when nothing gets through for the supervision timeout.
 */
export class VirtualLink {
  private readonly lanes: readonly [Lane, Lane];
  private readonly absent = new Set<VirtualController>();
  private supervision: { cancel(): void } | undefined;
  private ended = false;

  constructor(
    private readonly air: Air,
    readonly central: VirtualController,
    readonly peripheral: VirtualController,
    public parameters: ConnectionParameters,
  ) {
    this.lanes = [
      { from: central, to: peripheral, items: [], busy: false },
      { from: peripheral, to: central, items: [], busy: false },
    ];
  }

  peerOf(controller: VirtualController): VirtualController {
    return controller === this.central ? this.peripheral : this.central;
  }

  send(from: VirtualController, packet: Buffer): void {
    this.enqueue(from, { packet });
  }

  /** Ends the link after what its host has sent before. */
  terminate(from: VirtualController, reason: number): void {
    this.enqueue(from, { terminate: reason });
  }

  /** One end forgets the link without a word: powered off, reset, or its process died. The other finds out by the supervision timeout. */
  vanish(controller: VirtualController): void {
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
      for (const lane of this.lanes) this.pump(lane);
    } else {
      this.supervision ??= this.air.clock.setTimer(this.parameters.supervisionTimeout * TIMEOUT_UNIT_MS, () => {
        this.end(STATUS.connectionTimeout, STATUS.connectionTimeout);
      });
    }
  }

  private enqueue(from: VirtualController, item: Item): void {
    const lane = this.lanes[from === this.central ? 0 : 1];
    lane.items.push(item);
    this.pump(lane);
  }

  private isReachable(): boolean {
    const path = this.air.pathBetween(this.peripheral, this.central);
    return this.absent.size === 0 && path.inRange && path.loss < 1;
  }

  private pump(lane: Lane): void {
    while (!this.ended && !lane.busy && lane.items.length > 0 && this.isReachable()) {
      const path = this.air.pathBetween(this.peripheral, this.central);
      if (path.loss > 0 && this.air.random() < path.loss) {
        this.pumpLater(lane, this.parameters.interval * INTERVAL_UNIT_MS, () => {});
      } else if (path.latencyMs > 0) {
        this.pumpLater(lane, path.latencyMs, () => this.deliverNext(lane));
      } else {
        this.deliverNext(lane);
      }
    }
  }

  private pumpLater(lane: Lane, delayMs: number, then: () => void): void {
    lane.busy = true;
    this.air.clock.setTimer(delayMs, () => {
      lane.busy = false;
      if (this.ended) return;
      if (this.isReachable()) then();
      this.pump(lane);
    });
  }

  private deliverNext(lane: Lane): void {
    const item = lane.items.shift();
    if (item === undefined) return;
    if ('packet' in item) {
      lane.to.receiveData(this, item.packet);
      lane.from.dataSent(this);
    } else if (lane.from === this.central) this.end(STATUS.localEnded, item.terminate);
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
