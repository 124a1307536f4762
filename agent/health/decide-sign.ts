/** Decides what the lamp and the service manager say of a gateway. */
import type { LampSign } from './lamp.js';
import type { GatewayStatus } from './status.js';

/** A claim may tell how an earlier identity of the device ended. */
type Seen = Pick<GatewayStatus, 'cloud' | 'radio' | 'store' | 'outbox' | 'reads'> & {
  claim?: { problem: string | null; former: { why: 'replaced' | 'reset' | 'deleted' } | null };
};

export interface Sign {
  sign: LampSign;
  /** One line for people. */
  text: string;
}

/** A read is stored within a moment, and a camera that is asked for its clock answers within seconds. */
export const READ_STUCK_S = 120;

/** Why the gateway does none of its work any more; null: it does. */
export function decideStuck({ reads }: Pick<GatewayStatus, 'reads'>): string | null {
  const { oldest_s } = reads;
  return oldest_s !== null && oldest_s > READ_STUCK_S ? `a read waits for its decision for ${oldest_s} s` : null;
}

/** @param problem of the claim file; null: none */
export function decideSign(status: Seen, problem: string | null): Sign {
  const { cloud, radio, store, outbox, claim } = status;
  const faults = [
    ...(store.failed === null ? [] : [`nothing can be stored: ${store.failed}`]),
    ...(radio.state === 'unavailable' ? ['the Bluetooth adapter does not work'] : []),
  ];
  const waiting = outbox.pending ?? 0;
  const standing = standingOf();
  const text = [standing.text, ...faults].join('; ');
  return { sign: faults.length > 0 && standing.sign !== 'ended' ? 'fault' : standing.sign, text };

  function standingOf(): Sign {
    const why = claim?.former?.why;
    const shown = problem ?? claim?.problem ?? null;
    if (cloud.url === null && (why === 'replaced' || why === 'deleted'))
      return { sign: 'ended', text: `this device was ${why}, and waits for a new claim` };
    if (cloud.url === null)
      return { sign: 'waiting', text: `waits for its claim${shown === null ? '' : `: ${shown}`}` };
    if (cloud.connected) return { sign: 'online', text: `online at ${cloud.url}` };
    const records = waiting === 0 ? '' : `, ${waiting} records wait`;
    return { sign: 'offline', text: `acts alone: ${cloud.url} is not reached${records}` };
  }
}
