/** The messages between the gateway and its radio process over Node's IPC. */
import type { SentLogFields } from '../../../shared/sent-log-fields.js';
import type { Beacon, WantedBeacons } from '../../sensor/beacons.js';
import type { HciChoice } from '../hci/hci-choice.js';
import type { OwnRecoveryStep } from '../radio-health.js';
import type { Advertisement, LinkChannel, RadioState } from '../radio.js';

/** The argument of the radio process, as JSON. */
export interface RadioProcessConfig {
  hci: HciChoice;
  writeTimeoutMs: number;
  /** See NobleRadioLimits. */
  silenceMs: number;
  /** See NobleRadioOptions. */
  expectsProducts: boolean;
  resetsFirst: boolean;
}

export type ToRadioProcess =
  | { type: 'connect'; id: number; address: string; timeoutMs: number; slotWithinMs: number; channel: LinkChannel }
  | { type: 'want-beacons'; wanted: readonly WantedBeacons[] }
  | { type: 'abort'; id: number }
  /** `link` is the id of the connect that made it. */
  | { type: 'write'; id: number; link: number; fragment: Uint8Array }
  | { type: 'close'; link: number }
  | { type: 'stop' };

export type FromRadioProcess =
  | { type: 'state'; state: RadioState }
  | { type: 'advertisements'; advertisements: readonly Advertisement[] }
  | { type: 'beacon'; beacon: Beacon }
  | { type: 'connected'; id: number; mtu: number }
  /** The next connection can be made; this one's service may still be looked for. */
  | { type: 'turn-over'; id: number }
  | { type: 'written'; id: number }
  /** A connect or a write failed. */
  | { type: 'failed'; id: number; errorType: 2 | 3 | 4; message: string }
  | { type: 'notification'; link: number; fragment: Uint8Array }
  | { type: 'closed'; link: number }
  | { type: 'log'; level: 'debug' | 'info' | 'warn' | 'error'; fields: SentLogFields; message: string }
  /** See Radio.onSlotWanted. */
  | { type: 'slot-wanted'; usedBy: readonly string[] }
  /** How many connections the adapter has. */
  | { type: 'links'; count: number }
  /** The measure by which it healed itself. */
  | { type: 'recovery'; step: OwnRecoveryStep; reason: string }
  /** Neither another scan nor a reset has helped. */
  | { type: 'restart-me'; reason: string }
  /** Sent now and then, so that silence means that the process hangs. */
  | { type: 'alive' }
  | { type: 'stopped' };
