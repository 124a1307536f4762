import { Registry } from 'prom-client';
import type { IngestDeps } from '../../../cloud/traffic/ingest/ingest.js';
import { createIngestMeasurement } from '../../../cloud/traffic/ingest/ingest-metrics.js';
import type { StoreWorld } from '../gateway/link-world.js';
import { newUid } from './gateway-records.js';

/** What an ingest beside that of the world needs. */
export function ingestDeps(world: StoreWorld, over: Partial<IngestDeps> = {}): IngestDeps {
  const { store, images, clock, logger, bootClocks, commands, configChanged } = world;
  return {
    store,
    images,
    clock,
    logger,
    bootClocks,
    commands,
    configChanged,
    generatePublicId: () => newUid().slice(-10).toUpperCase(),
    measurement: createIngestMeasurement(new Registry()),
    tracer: null,
    countRecords() {},
    disconnectGateway() {},
    pace: { clock, everyMs: 0 },
    ...over,
  };
}
