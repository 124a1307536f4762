/** Keeps whether gateways are online, as their retained presence says (`shared/uplink.ts`). */
import { type BackoffLimits, backoffDelayMs } from '../../../shared/backoff.js';
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock, Timer } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { presenceSchema, type Hello, type Presence } from '../../../shared/uplink.js';
import { type CloudStore, createGroupedChanges, isStoreFault, LOCKS, type Tx } from '../../kernel/store/entry.js';
import { renewReceptions } from './reception-queries.js';
import {
  findGatewayByUuid,
  onlineGateways,
  saveGatewayOffline,
  saveGatewayPresence,
  type GatewayRow,
} from './gateway-queries.js';

export interface PresenceTracker {
  /** Stores what a presence message says. Rejects when the database fails, and goes on trying. */
  handlePresence(uuid: GatewayUuid, payload: unknown): Promise<void>;
  /**
   * Stores that a gateway that says hello is online, even if its presence was not stored. @param keep keeps, in the same transaction, what
   * else the hello told
   */
  handleHello(
    uuid: GatewayUuid,
    hello: Pick<Hello, 'boot_id' | 'connection' | 'agent_version'>,
    keep?: (tx: Tx) => Promise<void>,
  ): Promise<void>;
  /** Stores that a gateway that does not answer is offline: its last will was never published. */
  handleSilence(uuid: GatewayUuid): Promise<void>;
  close(): Promise<void>;
}

export interface PresenceDeps {
  store: CloudStore;
  clock: Clock;
  logger: Logger;
  /** PRODUCT_SEEN_WITHIN_MS: a gateway that is back is taken to hear the products that it heard within this time before it was cut off. */
  seenWithinMs: number;
  /** Called after the commit when a gateway has gone offline. */
  onOffline(gateway: { id: number; uuid: GatewayUuid }): void;
  /**
   * How long after the cloud's start a gateway may take to come back before it counts as offline; null: an external broker may go on with
   * its connection, and the caller finds out which gateways are gone (`handleSilence`).
   */
  startGraceMs: number | null;
}

export const START_GRACE_MS = 60_000;
/** A database that fails is asked again, less and less often. */
const RETRY: BackoffLimits = { baseMs: 5_000, maxMs: 60_000 };
const retryAfterMs = (attempt: number): number => backoffDelayMs(RETRY, attempt, 1);

export function createPresenceTracker(deps: PresenceDeps): PresenceTracker {
  const { store, clock, logger, startGraceMs } = deps;
  const outsiders = createBoundedLog(deps);
  /** A database that refuses one gateway's change refuses all: one line a minute says so, with its count. */
  const failures = createBoundedLog({ logger, clock, linesMax: 1 }).from(undefined);
  const changes = createGroupedChanges(store);
  /** Gateways whose presence was heard since the cloud started. */
  const heard = new Set<GatewayUuid>();
  const saves = createPresenceSaves({
    clock,
    failures,
    save: (uuid, said) => changes.change((tx) => applyPresence(deps, tx, { uuid, said, heard })),
  });

  /** A gateway that is online in the database and was not heard since the start has gone while the cloud was down. */
  async function sweep(): Promise<void> {
    const gone = (await onlineGateways(store.reader))
      .map(({ uuid }) => uuid as GatewayUuid)
      .filter((uuid) => !heard.has(uuid));
    // A gateway that is heard before its transaction runs stays online.
    await Promise.all(
      gone.map((uuid) =>
        changes.change(async (tx) => {
          if (!heard.has(uuid)) await applySilence(deps, tx, uuid);
        }),
      ),
    );
  }
  const sweeping = startGraceMs === null ? null : startSweep({ clock, failures, graceMs: startGraceMs, sweep });

  return {
    async handlePresence(uuid, payload) {
      const presence = presenceSchema.safeParse(payload);
      if (!presence.success) {
        outsiders
          .from(uuid)
          .warn({ uuid, reason: presence.error.issues[0]?.message }, 'presence of a gateway cannot be read');
        return;
      }
      await saves.save(uuid, presence.data);
    },
    handleHello: (uuid, { boot_id, connection, agent_version }, keep) =>
      saves.save(uuid, {
        status: 'online',
        boot_id,
        connection,
        agent_version,
        ...(keep === undefined ? {} : { keep }),
      }),
    handleSilence: (uuid) => store.change((tx) => applySilence(deps, tx, uuid)),
    async close() {
      saves.close();
      await sweeping?.close();
    },
  };
}

/** A presence; a hello adds the agent's version, and what else is to be kept. */
type SaidPresence = Presence & Partial<Pick<Hello, 'agent_version'>> & { keep?: (tx: Tx) => Promise<void> };

/** Sweeps when the time to come back is over. A sweep that fails is tried again. */
function startSweep(of: { clock: Clock; failures: Logger; graceMs: number; sweep: () => Promise<void> }): {
  close(): Promise<void>;
} {
  const { clock, failures } = of;
  let sweeping: Promise<void> = Promise.resolve();
  let isClosed = false;
  let timer = clock.setTimer(of.graceMs, () => sweep(0));
  function sweep(attempt: number): void {
    sweeping = of.sweep().catch((error: unknown) => {
      failures.error({ err: error }, 'gateways that did not come back could not be marked offline; it is tried again');
      if (!isClosed) timer = clock.setTimer(retryAfterMs(attempt), () => sweep(attempt + 1));
    });
  }
  return {
    async close() {
      isClosed = true;
      timer.cancel();
      await sweeping;
    },
  };
}

/**
 * Saves presences. A presence is sent only once, so one that the store is at fault for is kept until it is saved, or until a newer one comes.
 * What is refused for what it holds would be refused again: the gateway's next presence is tried.
 */
function createPresenceSaves(of: {
  clock: Clock;
  failures: Logger;
  save: (uuid: GatewayUuid, said: SaidPresence) => Promise<void>;
}): { save(uuid: GatewayUuid, said: SaidPresence): Promise<void>; close(): void } {
  const { clock, failures } = of;
  const unsaved = new Map<GatewayUuid, Timer>();
  let isClosed = false;

  async function save(uuid: GatewayUuid, said: SaidPresence, attempt = 0): Promise<void> {
    unsaved.get(uuid)?.cancel();
    unsaved.delete(uuid);
    try {
      await of.save(uuid, said);
    } catch (error) {
      if (isStoreFault(error) && !isClosed && !unsaved.has(uuid)) {
        const retry = clock.setTimer(retryAfterMs(attempt), () => {
          save(uuid, said, attempt + 1).catch((again: unknown) => {
            failures.error({ err: again, uuid }, 'presence of a gateway could still not be stored');
          });
        });
        unsaved.set(uuid, retry);
      }
      throw error;
    }
  }

  return {
    save: (uuid, said) => save(uuid, said),
    close() {
      isClosed = true;
      for (const retry of unsaved.values()) retry.cancel();
    },
  };
}

async function applyPresence(
  { clock, seenWithinMs, onOffline }: PresenceDeps,
  tx: Tx,
  { uuid, said, heard }: { uuid: GatewayUuid; said: SaidPresence; heard: Set<GatewayUuid> },
): Promise<void> {
  await tx.lock(LOCKS.presence(uuid));
  const gateway = await findGatewayByUuid(tx, uuid);
  if (gateway === undefined || isStale(gateway, said)) return;
  tx.onCommit(() => {
    heard.add(uuid);
    if (said.status === 'offline') onOffline({ id: gateway.id, uuid });
  });
  await said.keep?.(tx);
  if (isKnown(gateway, said)) return;
  if (said.status === 'online') {
    const now = clock.now();
    const since = (gateway.last_seen ?? now) - seenWithinMs;
    await renewReceptions(tx, { gateway_id: gateway.id, since, now });
  }
  const { keep: _, ...presence } = said;
  await saveGatewayPresence(tx, { id: gateway.id, ...presence, now: clock.now() });
  if (gateway.status !== said.status) journalStatus(tx, gateway, said.status);
}

async function applySilence({ onOffline }: PresenceDeps, tx: Tx, uuid: GatewayUuid): Promise<void> {
  await tx.lock(LOCKS.presence(uuid));
  const gateway = await findGatewayByUuid(tx, uuid);
  if (gateway?.status !== 'online') return;
  const { id } = gateway;
  await saveGatewayOffline(tx, id);
  journalStatus(tx, gateway, 'offline');
  tx.onCommit(() => onOffline({ id, uuid }));
}

/** The last will of an older connection may come after the present connection has said that it is online. */
function isStale(gateway: GatewayRow, presence: Presence): boolean {
  if (gateway.presence_boot_id !== presence.boot_id) {
    // Boots have no order. Only the running boot says online, so a last will of another boot is out of date.
    return presence.status === 'offline' && gateway.presence_boot_id !== null;
  }
  return gateway.presence_connection !== null && presence.connection < gateway.presence_connection;
}

function isKnown(gateway: GatewayRow, said: SaidPresence): boolean {
  if (gateway.status !== said.status || gateway.presence_boot_id !== said.boot_id) return false;
  if (gateway.presence_connection !== said.connection) return false;
  return said.agent_version === undefined || gateway.agent_version === said.agent_version;
}

/** Only gateways in a lot have events; the journal drops the others. */
function journalStatus(tx: Tx, gateway: GatewayRow, status: 'online' | 'offline'): void {
  const { account_id, lot_id, uuid } = gateway;
  if (uuid === null) return;
  tx.journal({ account_id, lot_id, event: 'gateway_status', payload: { uuid, status } });
}
