/** The messages between the gateway and its radio process over Node's IPC. */
import type { SentLogFields } from '../../../shared/sent-log-fields.js';
import type { HciChoice } from '../hci/hci-choice.js';
import type { OwnRecoveryStep } from '../radio-health.js';
import type { Advertisement, LinkChannel, RadioState } from '../radio.js';

/** The argument of the radio process, as JSON. */
export interface RadioProcessConfig {
  hci: HciChoice;
  writeTimeoutMs: number;
}

export type ToRadioProcess =
  | { type: 'connect'; id: number; address: string; timeoutMs: number; channel: LinkChannel }
  | { type: 'abort'; id: number }
  /** `link` is the id of the connect that made it. */
  | { type: 'write'; id: number; link: number; fragment: Uint8Array }
  | { type: 'close'; link: number }
  | { type: 'stop' };

export type FromRadioProcess =
  | { type: 'state'; state: RadioState }
  | { type: 'advertisement'; advertisement: Advertisement }
  | { type: 'connected'; id: number; mtu: number }
  | { type: 'written'; id: number }
  /** A connect or a write failed. */
  | { type: 'failed'; id: number; errorType: 2 | 3 | 4; message: string }
  | { type: 'notification'; link: number; fragment: Uint8Array }
  | { type: 'closed'; link: number }
  | { type: 'log'; level: 'debug' | 'info' | 'warn' | 'error'; fields: SentLogFields; message: string }
  /** What it did to heal itself. */
  | { type: 'recovery'; step: OwnRecoveryStep; reason: string }
  /** Neither another scan nor a reset has helped. */
  | { type: 'restart-me'; reason: string }
  /** Sent now and then, so that silence means that the process hangs. */
  | { type: 'alive' }
  | { type: 'stopped' };
