/** Cameras lock an account after a few wrong passwords, so an account that was refused is not tried again for an hour. */
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';

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
