/** The retained presence of this gateway: announced in each connection, and put right when another stands in its place. */
import type { Clock, Timer } from '../../shared/clock.js';
import { type Presence, presenceSchema } from '../../shared/uplink.js';

/** Two clones of one gateway would otherwise correct each other without end. */
const REPAIR_PERIOD_MS = 10_000;

export interface PresenceKeeper {
  /** Tells that the gateway is here; `identity` names its boot and connection. */
  announce(identity: Omit<Presence, 'status'>): void;
  /** What stands at the broker, as it was just published there. */
  heard(payload: unknown): void;
  /** The link is gone, or is about to be: nothing is put right any more. */
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

  function tell(presence: Presence): void {
    stands = false;
    publish(presence).then(
      () => {
        stands = presence === announced;
      },
      // The link ended; the next connection announces anew.
      () => undefined,
    );
  }

  function repair(presence: Presence): void {
    timer = null;
    repaired_ms = clock.monotonic();
    tell(presence);
  }

  return {
    announce(identity) {
      announced = { status: 'online', ...identity };
      tell(announced);
    },
    heard(payload) {
      // Until the broker has ours, it tells what was there before.
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
