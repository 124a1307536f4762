/** Port: the requests of a running gateway to the program that it runs in: to become another one, or none. */
import type { StandingEnded } from '../../shared/gateway-standing.js';
import type { ClaimView, ClaimWanted } from './claim-desk.js';
import type { Joined } from './claim.js';

export interface GatewayLife {
  /** How its claim stands. */
  claimView(): ClaimView;
  /**
   * Lets through who knows the code of this device. A claimed one has none, and is claimed by nobody who is not on it.
   * @throws DeviceCodeError
   */
  checkDeviceCode(guess: { typed: string | undefined; address: string }): void;
  /**
   * Lets through who can read the folder of an unclaimed device: that one connects from the device itself proves nothing.
   * @param claim.proof the signature of the device over `localClaimText`
   * @throws DeviceCodeError
   */
  checkOnDevice(claim: { cloudUrl: string; code: string; proof: string | undefined }): void;
  /** Claims this device; it starts anew when the answer has been sent. @throws ClaimError */
  claim(wanted: ClaimWanted): Promise<Joined>;
  /** Orders that everything is erased: it does nothing any more, and begins as a new, unclaimed gateway. */
  end(why: StandingEnded): void;
}
