import { type Clock, sleep } from '../../shared/clock.js';
import type { ConfigMessage } from '../../shared/gateway-config.js';
import type { Logger } from '../../shared/logger.js';
import { createReconnectLadder, endOfError } from '../../shared/reconnect-ladder.js';
import { ClaimError, claimGateway } from './claim.js';
import type { Identity } from './identity.js';
import { errorText } from '../../shared/error-text.js';

/** Claims the gateway, and asks again until the cloud answers. Throws ClaimError when the cloud refuses, or the signal's reason. */
export async function joinCloud(options: {
  identity: Identity;
  claim: { cloudUrl: string; code: string; ca?: string };
  clock: Clock;
  random(): number;
  logger: Logger;
  signal: AbortSignal;
}): Promise<{ identity: Identity; config: ConfigMessage[] }> {
  const { identity, claim, clock, random, logger, signal } = options;
  const ladder = createReconnectLadder({ clock, random });
  for (;;) {
    try {
      return await claimGateway({ identity, ...claim, signal });
    } catch (error) {
      if (!(error instanceof ClaimError) || error.reason === 'refused') throw error;
      const delayMs = ladder.lost(endOfError(error));
      logger.warn({ reason: errorText(error), again_in_ms: delayMs }, 'the cloud could not be joined yet');
      await sleep(clock, delayMs, signal);
    }
  }
}
