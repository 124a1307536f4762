/** Messages between the process that runs the fleet and those that hold its gateways. */
import type { DeclaredGateway } from './fleet-site.js';

/** Orders to a process, in this order. */
export type FleetOrder =
  | {
      kind: 'connect';
      run: string;
      cloudUrl: string;
      /** Directory of the gateways' identities. */
      state: string;
      /** The gateways with their numbers in the whole fleet. */
      gateways: (DeclaredGateway & { index: number })[];
      /** How many of them are claimed or connect at the same time. */
      atOnce: number;
    }
  | { kind: 'write'; perSecond: number; seconds: number }
  /** Stop writing; records that wait are still sent. */
  | { kind: 'stop' }
  | { kind: 'close' };

/** The state of all gateways of a process, sent again and again. */
export interface FleetState {
  kind: 'state';
  claimed: number;
  connected: number;
  /** Connected, and with a camera. */
  ready: number;
  /** How often an open link was lost. */
  reconnects: number;
  isWriting: boolean;
  written: number;
  acknowledged: number;
}

export type FleetNote =
  | FleetState
  /** Why a gateway could not be claimed, or another error. */
  | { kind: 'problem'; text: string }
  /** The last message: the delay of each acknowledgement, and how many records each gateway wrote. */
  | { kind: 'closed'; lagsMs: number[]; written: [gateway: number, count: number][] };
