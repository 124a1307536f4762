/** Whether gateways are online, as their retained presence tells (`shared/uplink.ts`). */
import type { Clock, Timer } from '../../shared/clock.js';
import type { GatewayUuid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import { presenceSchema, type Hello, type Presence } from '../../shared/uplink.js';
import type { CloudStore, Db, EventRecorder } from '../store/cloud-store.js';
import { createGroupedChanges } from '../store/grouped-changes.js';
import {
  findGatewayByUuid,
  onlineGateways,
  saveGatewayOffline,
  saveGatewayPresence,
  type GatewayRow,
} from '../store/queries/gateways.js';

export interface PresenceTracker {
  /** Takes a presence message; rejects when the database is out of order, and goes on trying. */
  take(uuid: GatewayUuid, payload: unknown): Promise<PresenceResult>;
  /** The same of a gateway that says hello: it is online, even if its presence was not stored. */
  takeHello(uuid: GatewayUuid, hello: Pick<Hello, 'boot_id' | 'connection' | 'agent_version'>): Promise<PresenceResult>;
  close(): Promise<void>;
}

export type PresenceResult = 'online' | 'offline' | 'ignored';

export interface PresenceDeps {
  store: CloudStore;
  clock: Clock;
  logger: Logger;
  /** How long after the cloud's start a gateway may need to come back before it counts as offline. */
  startGraceMs?: number;
}

const START_GRACE_MS = 60_000;
const RETRY_MS = 5_000;

export function createPresenceTracker(deps: PresenceDeps): PresenceTracker {
  const { store, clock, logger } = deps;
  const changes = createGroupedChanges(store);
  /** Told by a presence of this run of the cloud. */
  const heard = new Set<GatewayUuid>();
  /** Waiting to store what the database did not take. */
  const unsaved = new Map<GatewayUuid, Timer>();
  let sweeping: Promise<void> = Promise.resolve();
  let closed = false;
  let timer: Timer = clock.setTimer(deps.startGraceMs ?? START_GRACE_MS, sweep);

  /** What the database calls online and nobody heard of since the start went away while the cloud was down. */
  function sweep(): void {
    sweeping = store
      .change(async (tx, events) => {
        for (const gateway of await onlineGateways(tx)) {
          if (heard.has(gateway.uuid as GatewayUuid)) continue;
          await saveGatewayOffline(tx, gateway.id);
          await recordStatus(events, gateway, 'offline');
        }
      })
      .catch((error: unknown) => {
        logger.error({ error }, 'gateways that did not come back could not be marked offline; it is tried again');
        if (!closed) timer = clock.setTimer(RETRY_MS, sweep);
      });
  }

  async function apply(tx: Db, events: EventRecorder, uuid: GatewayUuid, told: Told): Promise<PresenceResult> {
    const gateway = await findGatewayByUuid(tx, uuid);
    if (gateway === undefined || isStale(gateway, told)) return 'ignored';
    if (isKnown(gateway, told)) return told.status;
    await saveGatewayPresence(tx, { id: gateway.id, ...told, now: clock.now() });
    if (gateway.status !== told.status) await recordStatus(events, gateway, told.status);
    return told.status;
  }

  /** Presence is told once: what the database does not take now is kept until it does, or until a newer one comes. */
  async function save(uuid: GatewayUuid, told: Told): Promise<PresenceResult> {
    unsaved.get(uuid)?.cancel();
    unsaved.delete(uuid);
    try {
      const result = await changes.change((tx, events) => apply(tx, events, uuid, told));
      if (result !== 'ignored') heard.add(uuid);
      return result;
    } catch (error) {
      if (!closed && !unsaved.has(uuid)) {
        const retry = clock.setTimer(RETRY_MS, () => {
          save(uuid, told).catch((again: unknown) => {
            logger.error({ error: again, uuid }, 'presence of a gateway could still not be stored');
          });
        });
        unsaved.set(uuid, retry);
      }
      throw error;
    }
  }

  return {
    async take(uuid, payload) {
      const presence = presenceSchema.safeParse(payload);
      if (!presence.success) {
        logger.warn({ uuid, reason: presence.error.issues[0]?.message }, 'presence of a gateway cannot be read');
        return 'ignored';
      }
      return save(uuid, presence.data);
    },
    takeHello: (uuid, { boot_id, connection, agent_version }) =>
      save(uuid, { status: 'online', boot_id, connection, agent_version }),
    async close() {
      closed = true;
      timer.cancel();
      for (const retry of unsaved.values()) retry.cancel();
      await sweeping;
    },
  };
}

/** Presence, and in a hello the agent's version. */
type Told = Presence & Partial<Pick<Hello, 'agent_version'>>;

/** The will of an older connection comes after the present one has told that it is online. */
function isStale(gateway: GatewayRow, presence: Presence): boolean {
  if (gateway.presence_boot_id !== presence.boot_id) {
    // Boots have no order. Nobody but the running one says online; a will of another one is an old will.
    return presence.status === 'offline' && gateway.presence_boot_id !== null;
  }
  return gateway.presence_connection !== null && presence.connection < gateway.presence_connection;
}

function isKnown(gateway: GatewayRow, told: Told): boolean {
  if (gateway.status !== told.status || gateway.presence_boot_id !== told.boot_id) return false;
  if (gateway.presence_connection !== told.connection) return false;
  return told.agent_version === undefined || gateway.agent_version === told.agent_version;
}

/** Only gateways in a lot have events; the recorder drops the others. */
async function recordStatus(events: EventRecorder, gateway: GatewayRow, status: 'online' | 'offline'): Promise<void> {
  const { account_id, lot_id, uuid } = gateway;
  if (uuid === null) return;
  await events.record({ account_id, lot_id, event: 'gateway_status', payload: { uuid, status } });
}
