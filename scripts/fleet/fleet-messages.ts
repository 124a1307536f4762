/** What the process that runs the fleet and those that hold its gateways say to each other. */
import type { DeclaredGateway } from './fleet-site.js';

/** What a process is to do, in this order. */
export type FleetOrder =
  | {
      kind: 'connect';
      run: string;
      cloudUrl: string;
      /** Directory of the gateways' identities. */
      state: string;
      /** With their number in the whole fleet. */
      gateways: (DeclaredGateway & { index: number })[];
      /** How many of them are claimed or connect at the same time. */
      atOnce: number;
    }
  | { kind: 'write'; perSecond: number; seconds: number }
  /** Write no more; what waits is still sent. */
  | { kind: 'stop' }
  | { kind: 'close' };

/** What a process says, again and again, of all its gateways. */
export interface FleetState {
  kind: 'state';
  claimed: number;
  connected: number;
  /** Connected, and with a camera. */
  ready: number;
  /** How often a link was lost that had been there. */
  reconnects: number;
  isWriting: boolean;
  written: number;
  acknowledged: number;
}

export type FleetNote =
  | FleetState
  /** Why a gateway could not be claimed, or nothing can go on. */
  | { kind: 'problem'; text: string }
  /** The last word: for each record that was acknowledged, how long it took; and how many records each gateway wrote. */
  | { kind: 'closed'; lagsMs: number[]; written: [gateway: number, count: number][] };
