/** Cameras lock an account after a few wrong passwords, so an account that was refused is not tried again for an hour. */
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import { answerDigest, type DigestRequest, offersSha256 } from '../formats/digest-access.js';

export const REFUSED_REST_MS = 3_600_000;

type CameraAccount = Pick<CameraItem, 'id' | 'address' | 'username' | 'password'>;

/** The camera answers, but refuses the gateway's account, or asks for one that it was not given. */
export class CameraRefusal extends Error {
  constructor(message = 'it refuses the user name and password: correct them (tried again in an hour)') {
    super(message);
    this.name = 'CameraRefusal';
  }
}

export interface RefusedAccounts {
  /** Whether the camera refused this address, user name and password within the last hour. */
  isResting(camera: CameraAccount): boolean;
  /** Notes that the camera refused its account. */
  note(camera: CameraAccount): void;
  /** Notes that the camera took its account. */
  forget(camera: CameraAccount): void;
}

export function createRefusedAccounts(clock: Pick<Clock, 'monotonic'>): RefusedAccounts {
  /** By camera: the account that it refused last, and when. */
  const refused = new Map<number, { account: string; mono_ms: number }>();
  return {
    isResting(camera) {
      const last = refused.get(camera.id);
      return last?.account === accountKey(camera) && clock.monotonic() - last.mono_ms < REFUSED_REST_MS;
    },
    note: (camera) => void refused.set(camera.id, { account: accountKey(camera), mono_ms: clock.monotonic() }),
    forget: ({ id }) => void refused.delete(id),
  };
}

export const accountKey = ({ address, username, password }: CameraAccount): string =>
  JSON.stringify([address, username, password]);

/**
 * Answers the challenge of a camera, which may hold several schemes; null: it offers no digest. An account whose camera has once offered
 * SHA-256 is never shown by MD5 again: whoever stands between would take the better offer away. Other settings of the camera begin anew.
 * @param seen the accounts of these cameras, shared by all that ask them
 * @throws CameraRefusal for a camera that offered SHA-256 before, and now does not
 */
export function answerChallenge(
  camera: CameraAccount,
  {
    challenge,
    seen,
    ...request
  }: { challenge: string; seen: Set<string> } & Omit<DigestRequest, 'username' | 'password'>,
): string | null {
  const key = JSON.stringify([camera.id, accountKey(camera)]);
  if (offersSha256(challenge)) seen.add(key);
  const { username, password } = camera;
  const answer = answerDigest(challenge, { ...request, username, password, isMd5Refused: seen.has(key) });
  if (answer === null && seen.has(key)) throw new CameraRefusal(WEAKER);
  return answer;
}

const WEAKER =
  'it asks for the password by a weaker method than before (SHA-256): somebody may stand between. If it was replaced, give its password again or restart the gateway';
