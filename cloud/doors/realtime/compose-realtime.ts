/** Composes `/v2/realtime`: the connections, and the journal of events that they are served from. */
import type { Registry } from 'prom-client';
import type { Clock } from '../../../shared/clock.js';
import { PACE_LIMITS, type PaceLimits } from '../../../shared/connection-pace.js';
import type { Logger } from '../../../shared/logger.js';
import type { Authenticate, TokenRevocations } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import type { AddressOf } from '../../rest/entry.js';
import type { EventSpans, ImageLinks } from '../../traffic/entry.js';
import { CONNECTION_LIMITS, type ConnectionLimits } from './connection.js';
import { startJournalRetention } from './journal-retention.js';
import { createRealtimeHub, type RealtimeHub } from './realtime-hub.js';
import { createRealtimeMeasurement } from './realtime-metrics.js';
import { ROOM_LIMITS, type RoomLimits } from './realtime-rooms.js';
import { createRealtimeServer, type RealtimeServer } from './ws-realtime-server.js';

/** The parts that tests replace. Whatever is left out is as it ships. */
export interface RealtimeOverrides {
  connectionLimits?: Partial<ConnectionLimits> | undefined;
  roomLimits?: Partial<RoomLimits> | undefined;
  /** Of connections of which nothing was accepted yet, at the HTTP listener too. */
  pace?: Partial<PaceLimits> | undefined;
}

export interface Realtime {
  hub: RealtimeHub;
  /** For the HTTP server, which closes it. */
  server: RealtimeServer;
  /** Ends what runs beside the connections. */
  close(): void;
}

/** Resolves when connections that are opened from then on miss nothing. */
export async function composeRealtime(
  settings: { corsOrigins: readonly string[]; eventRetentionHours: number },
  deps: {
    store: CloudStore;
    imageLinks: ImageLinks;
    revocations: TokenRevocations;
    /** Returns the address at which people and programs reach the service. */
    baseUrl: () => string;
    clock: Clock;
    logger: Logger;
    registry: Registry;
    spans: EventSpans | null;
  },
  made: {
    callers: { authenticate: Authenticate; addressOf: AddressOf };
    /** How many connections there may be at once. */
    connectionsMax: number;
    overrides: RealtimeOverrides;
  },
): Promise<Realtime> {
  const { store, imageLinks, revocations, baseUrl, clock, logger, registry, spans } = deps;
  const { callers, connectionsMax, overrides } = made;
  const hub = createRealtimeHub({
    store,
    imageLinks,
    clock,
    logger,
    spans,
    limits: { ...CONNECTION_LIMITS, ...overrides.connectionLimits },
    measurement: createRealtimeMeasurement(registry),
  });
  revocations.onRevoked((tokens) => hub.closeTokens(tokens));
  revocations.onLotsChanged(hub.followLots);
  const stopMissed = store.peers?.onMissed(() => void hub.followLots());
  const server = createRealtimeServer({
    hub,
    authenticate: callers.authenticate,
    addressOf: callers.addressOf,
    origins: () => ({ allowed: settings.corsOrigins, own: baseUrl() }),
    clock,
    logger,
    limits: { ...ROOM_LIMITS, connectionsMax, ...overrides.roomLimits },
    pace: { ...PACE_LIMITS, ...overrides.pace },
    registry,
  });
  await hub.ready;
  const retention = startJournalRetention({ store, clock, logger, retentionHours: settings.eventRetentionHours });
  return {
    hub,
    server,
    close() {
      stopMissed?.();
      retention.cancel();
    },
  };
}
