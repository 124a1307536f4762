import { H4_ACL, H4_COMMAND } from '../../../agent/product/hci/h4-parser.js';
import type { RadioIdentity } from '../../../agent/product/hci/hub-codec.js';
import {
  addressBytes,
  advertisingReport,
  type ConnectCommand,
  commandComplete,
  commandStatus,
  connected,
  connectionUpdated,
  decodeConnect,
  decodeConnectionUpdate,
  disconnected,
  OPCODE,
  packetSent,
  STATUS,
  u16,
} from './hci-codec.js';
import type { Air } from './air.js';
import { type LinkEnd, VirtualLink } from './virtual-link.js';

/** Bluetooth 5.0: noble and bleno refuse versions before 4.0. */
const HCI_VERSION = 9;
const ACL_PACKET_BYTES = 251;
const ACL_PACKETS = 8;
const LINKS_MAX = 8;
const HANDLE_MAX = 0xeff;
const ADVERTISING_UNIT_MS = 0.625;
/** Bluetooth adds up to this much to each advertising interval, so that two products do not stay in step. */
const ADVERTISING_JITTER_MS = 10;
const CONNECTABLE = 0;
const SCAN_RESPONSE = 4;
/** Packet boundary flag of a first fragment, as hosts send it (0) and as controllers hand it over (2). */
const PB_CONTINUING = 1;
const PB_FIRST_INBOUND = 2;

export interface Host {
  /** Receives one H4 packet from the controller. */
  send(packet: Buffer): void;
  /** The adapter goes down or comes up. */
  power(up: boolean): void;
  /** The host loses its controller: another host has joined by its name, or the radio ends. */
  detached(): void;
}

/** One virtual Bluetooth controller, as a host sees it through HCI. */
export class VirtualController implements LinkEnd {
  readonly addressBytes: Buffer;
  readonly links = new Map<number, VirtualLink>();
  /** How many orders to end a link it will still accept without carrying them out. */
  endsToForget = 0;
  private readonly handles = new Map<VirtualLink, number>();
  /** Handles start at 1: for bleno 0 means "no connection". */
  private lastHandle = 0;
  private attached = true;
  private advertising = {
    on: false,
    interval: 160,
    type: CONNECTABLE,
    data: Buffer.alloc(0),
    response: Buffer.alloc(0),
  };
  private advertisingTimer: { cancel(): void } | undefined;
  private scan = { on: false, active: false, filtersDuplicates: true, heard: new Set<string>() };
  private initiating: ConnectCommand | undefined;

  constructor(
    private readonly air: Air<VirtualController>,
    readonly identity: RadioIdentity,
    readonly address: string,
    private readonly host: Host,
    private powered: boolean,
  ) {
    this.addressBytes = addressBytes(address);
  }

  get up(): boolean {
    return this.powered && this.attached;
  }

  /** Reports no links that end with the power, as a kernel reports none to a raw socket. */
  setPower(up: boolean): void {
    if (this.powered === up) return;
    this.powered = up;
    if (!up) this.forgetEverything();
    this.host.power(up);
  }

  /** Takes the controller off the air for good. Idempotent. */
  detach(): void {
    if (!this.attached) return;
    this.attached = false;
    this.forgetEverything();
    this.host.detached();
  }

  /** Receives one H4 packet from the host. */
  receive(packet: Buffer): void {
    if (!this.up) return;
    if (packet[0] === H4_COMMAND) this.command(packet.readUInt16LE(1), packet.subarray(4));
    else if (packet[0] === H4_ACL) this.links.get(packet.readUInt16LE(1) & 0xfff)?.send(this, packet);
  }

  /** Passes on the peer's data. Hosts expect flag 2 on the first fragment of what they receive. */
  receiveData(link: VirtualLink, packet: Buffer): void {
    const handle = this.handles.get(link);
    if (handle === undefined) return;
    const boundary = (packet.readUInt16LE(1) >> 12) & 3;
    const inbound = Buffer.from(packet);
    inbound.writeUInt16LE(handle | ((boundary === PB_CONTINUING ? PB_CONTINUING : PB_FIRST_INBOUND) << 12), 1);
    this.host.send(inbound);
  }

  dataSent(link: VirtualLink): void {
    const handle = this.handles.get(link);
    if (handle !== undefined) this.host.send(packetSent(handle));
  }

  linkEnded(link: VirtualLink, reason: number): void {
    const handle = this.handles.get(link);
    if (handle === undefined) return;
    this.forgetLink(link);
    this.host.send(disconnected(handle, reason));
  }

  private command(opcode: number, parameters: Buffer): void {
    const answer = (status: number, result?: Buffer) => this.host.send(commandComplete(opcode, status, result));
    const accept = (status: number) => this.host.send(commandStatus(opcode, status));
    switch (opcode) {
      case OPCODE.reset:
        this.forgetEverything();
        return answer(STATUS.ok);
      case OPCODE.setEventMask:
      case OPCODE.leSetEventMask:
      case OPCODE.writeLeHostSupported:
        return answer(STATUS.ok);
      case OPCODE.readLeHostSupported:
        return answer(STATUS.ok, Buffer.from([1, 0]));
      case OPCODE.readLocalVersion:
        return answer(STATUS.ok, Buffer.from([HCI_VERSION, 0, 0, HCI_VERSION, 0xff, 0xff, 0, 0]));
      case OPCODE.readBufferSize:
        return answer(STATUS.ok, Buffer.from([...u16(ACL_PACKET_BYTES), 0, ...u16(ACL_PACKETS), ...u16(0)]));
      case OPCODE.leReadBufferSize:
        return answer(STATUS.ok, Buffer.from([...u16(ACL_PACKET_BYTES), ACL_PACKETS]));
      case OPCODE.readAddress:
        return answer(STATUS.ok, this.addressBytes);
      case OPCODE.readRssi:
        return this.readRssi(parameters.readUInt16LE(0));
      case OPCODE.leSetAdvertisingParameters:
        if (this.advertising.on) return answer(STATUS.disallowed);
        this.advertising.interval = parameters.readUInt16LE(0);
        this.advertising.type = parameters.readUInt8(4);
        return answer(STATUS.ok);
      case OPCODE.leSetAdvertisingData:
        this.advertising.data = ownedBytes(parameters);
        return answer(STATUS.ok);
      case OPCODE.leSetScanResponse:
        this.advertising.response = ownedBytes(parameters);
        return answer(STATUS.ok);
      case OPCODE.leSetAdvertising:
        answer(STATUS.ok);
        return this.setAdvertising(parameters[0] === 1);
      case OPCODE.leSetScanParameters:
        if (this.scan.on) return answer(STATUS.disallowed);
        this.scan.active = parameters[0] === 1;
        return answer(STATUS.ok);
      case OPCODE.leSetScan:
        this.scan = { ...this.scan, on: parameters[0] === 1, filtersDuplicates: parameters[1] === 1, heard: new Set() };
        return answer(STATUS.ok);
      case OPCODE.leConnect:
        return accept(this.initiate(parameters));
      case OPCODE.leCancelConnect:
        return this.cancelConnect();
      case OPCODE.leUpdateConnection:
        return this.updateConnection(parameters);
      case OPCODE.disconnect: {
        const link = this.links.get(parameters.readUInt16LE(0));
        accept(link === undefined ? STATUS.unknownConnection : STATUS.ok);
        if (this.endsToForget > 0) {
          this.endsToForget -= 1;
          return undefined;
        }
        return link?.terminate(this, parameters.readUInt8(2));
      }
      default:
        return answer(STATUS.unknownCommand);
    }
  }

  private readRssi(handle: number): void {
    const link = this.links.get(handle);
    const rssi = link === undefined ? 0 : this.air.pathBetween(link.peripheral, link.central).rssi;
    const status = link === undefined ? STATUS.unknownConnection : STATUS.ok;
    this.host.send(commandComplete(OPCODE.readRssi, status, Buffer.from([...u16(handle), rssi & 0xff])));
  }

  private initiate(parameters: Buffer): number {
    const wanted = decodeConnect(parameters);
    if (this.initiating !== undefined) return STATUS.disallowed;
    if (this.links.size >= LINKS_MAX) return STATUS.connectionLimit;
    for (const link of this.links.values())
      if (link.peerOf(this).addressBytes.equals(wanted.peer)) return STATUS.connectionExists;
    this.initiating = wanted;
    return STATUS.ok;
  }

  private cancelConnect(): void {
    const cancelled = this.initiating;
    this.initiating = undefined;
    this.host.send(commandComplete(OPCODE.leCancelConnect, cancelled === undefined ? STATUS.disallowed : STATUS.ok));
    if (cancelled === undefined) return;
    const { peer, parameters } = cancelled;
    this.host.send(connected({ status: STATUS.unknownConnection, handle: 0, role: 'central', peer, parameters }));
  }

  private updateConnection(parameters: Buffer): void {
    const link = this.links.get(parameters.readUInt16LE(0));
    this.host.send(commandStatus(OPCODE.leUpdateConnection, link === undefined ? STATUS.unknownConnection : STATUS.ok));
    if (link === undefined) return;
    link.parameters = decodeConnectionUpdate(parameters);
    for (const end of [link.central, link.peripheral]) end.parametersUpdated(link);
  }

  parametersUpdated(link: VirtualLink): void {
    const handle = this.handles.get(link);
    if (handle !== undefined) this.host.send(connectionUpdated(handle, link.parameters));
  }

  private setAdvertising(on: boolean): void {
    this.advertising.on = on;
    this.advertisingTimer?.cancel();
    if (on) this.advertiseIn(0);
  }

  private advertiseIn(delayMs: number): void {
    this.advertisingTimer = this.air.clock.setTimer(delayMs, () => this.advertise());
  }

  /** One advertising event: all centrals in range hear it, or the central that waits for this product connects. */
  private advertise(): void {
    for (const central of this.air.centrals()) {
      const path = this.air.pathBetween(this, central);
      const isHeard = central.up && path.inRange && !(path.loss > 0 && this.air.random() < path.loss);
      if (isHeard && this.advertising.type === CONNECTABLE && central.isInitiatingTo(this)) {
        this.setAdvertising(false);
        central.connectTo(this);
        return;
      }
      if (isHeard) central.hear(this, path.rssi);
    }
    this.advertiseIn(this.advertising.interval * ADVERTISING_UNIT_MS + this.air.random() * ADVERTISING_JITTER_MS);
  }

  private isInitiatingTo(peripheral: VirtualController): boolean {
    return this.initiating?.peer.equals(peripheral.addressBytes) ?? false;
  }

  private hear(peripheral: VirtualController, rssi: number): void {
    if (!this.scan.on) return;
    if (this.scan.filtersDuplicates && this.scan.heard.has(peripheral.address)) return;
    this.scan.heard.add(peripheral.address);
    const { type, data, response } = peripheral.advertising;
    const address = peripheral.addressBytes;
    this.host.send(advertisingReport({ type, address, data, rssi }));
    if (this.scan.active) this.host.send(advertisingReport({ type: SCAN_RESPONSE, address, data: response, rssi }));
  }

  private connectTo(peripheral: VirtualController): void {
    const initiating = this.initiating;
    if (initiating === undefined) return;
    this.initiating = undefined;
    const link = new VirtualLink(this.air, this, peripheral, initiating.parameters);
    this.holdLink(link, 'central');
    peripheral.holdLink(link, 'peripheral');
  }

  private holdLink(link: VirtualLink, role: 'central' | 'peripheral'): void {
    do this.lastHandle = (this.lastHandle % HANDLE_MAX) + 1;
    while (this.links.has(this.lastHandle));
    this.links.set(this.lastHandle, link);
    this.handles.set(link, this.lastHandle);
    const peer = link.peerOf(this).addressBytes;
    this.host.send(connected({ status: STATUS.ok, handle: this.lastHandle, role, peer, parameters: link.parameters }));
  }

  private forgetLink(link: VirtualLink): void {
    this.links.delete(this.handles.get(link) ?? 0);
    this.handles.delete(link);
  }

  private forgetEverything(): void {
    this.setAdvertising(false);
    this.scan.on = false;
    this.initiating = undefined;
    for (const link of this.links.values()) {
      this.forgetLink(link);
      link.vanish(this);
    }
  }
}

/** The bytes of a parameter that starts with its length. */
function ownedBytes(parameters: Buffer): Buffer<ArrayBuffer> {
  return Buffer.from(parameters.subarray(1, 1 + parameters.readUInt8(0)));
}
