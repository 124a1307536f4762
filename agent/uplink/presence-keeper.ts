/** Announces the retained presence of this gateway in each connection, and publishes it again when the broker holds another one. */
import type { Clock, Timer } from '../../shared/clock.js';
import { type Presence, presenceSchema } from '../../shared/uplink.js';

/** Without a pause, two clones of one gateway would correct each other without end. */
const REPAIR_PERIOD_MS = 10_000;

export interface PresenceKeeper {
  /** Publishes that the gateway is online; `identity` names its boot and connection. */
  announce(identity: Omit<Presence, 'status'>): void;
  /** Call it with each presence that the broker delivers. */
  heard(payload: unknown): void;
  /** Ends the corrections: the link is gone, or is about to be. */
  stop(): void;
}

/** @param publish settles when the broker has the presence */
export function createPresenceKeeper(options: {
  clock: Clock;
  publish(presence: Presence): Promise<void>;
  onRepair(wrong: unknown): void;
}): PresenceKeeper {
  const { clock, publish, onRepair } = options;
  let announced: Presence | null = null;
  let stands = false;
  let repaired_ms = Number.NEGATIVE_INFINITY;
  let timer: Timer | null = null;

  function publishPresence(presence: Presence): void {
    stands = false;
    publish(presence).then(
      () => {
        stands = presence === announced;
      },
      // The link ended; the next connection announces again.
      () => undefined,
    );
  }

  function repair(presence: Presence): void {
    timer = null;
    repaired_ms = clock.monotonic();
    publishPresence(presence);
  }

  return {
    announce(identity) {
      announced = { status: 'online', ...identity };
      publishPresence(announced);
    },
    heard(payload) {
      // Until the broker has this gateway's presence, it delivers the earlier one.
      if (announced === null || !stands || timer !== null) return;
      const heard = presenceSchema.safeParse(payload).data;
      const { status, boot_id, connection } = announced;
      if (heard?.status === status && heard.boot_id === boot_id && heard.connection === connection) return;
      onRepair(payload);
      const mine = announced;
      timer = clock.setTimer(Math.max(0, repaired_ms + REPAIR_PERIOD_MS - clock.monotonic()), () => repair(mine));
    },
    stop() {
      announced = null;
      stands = false;
      timer?.cancel();
      timer = null;
    },
  };
}
