/** The gateways' side of the cloud of its real parts: SQLite, pictures as files, the embedded broker on loopback. */
import * as nodeCrypto from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAedesBroker } from '../../../cloud/equipment/broker/aedes-broker.js';
import type { BrokerLimits } from '../../../cloud/equipment/broker/aedes-state.js';
import {
  createCommandDispatcher,
  type CommandDispatcher,
} from '../../../cloud/equipment/command/command-dispatcher.js';
import { createBootClocks, type BootClocks } from '../../../cloud/equipment/gateway/boot-clocks.js';
import { createConfigBuilder } from '../../../cloud/doors/configuration/config-builder.js';
import { createConfigPublisher, type ConfigPublisher } from '../../../cloud/doors/configuration/config-publisher.js';
import type { ConfigChanged } from '../../../cloud/rest/resource/config-changed.js';
import { createGatewayLink } from '../../../cloud/doors/uplink/gateway-link.js';
import type { Allowance } from '../../../cloud/kernel/limit/byte-quota.js';
import { createHelloHandler } from '../../../cloud/doors/uplink/hello.js';
import { createRollCall } from '../../../cloud/doors/uplink/roll-call.js';
import { createUnhandledMessages } from '../../../cloud/doors/uplink/unhandled-messages.js';
import { createUplinkQuota } from '../../../cloud/doors/uplink/uplink-quota.js';
import { createGatewayAuthenticator } from '../../../cloud/equipment/gateway/mqtt-password.js';
import { createPresenceTracker } from '../../../cloud/equipment/gateway/presence.js';
import type { Broker } from '../../../cloud/equipment/broker/broker.js';
import { createFileImageStore } from '../../../cloud/traffic/image/file-image-store.js';
import type { ImageStore } from '../../../cloud/traffic/image/image-store.js';
import { createIngest, type Ingest } from '../../../cloud/traffic/ingest/ingest.js';
import { createProductReports } from '../../../cloud/equipment/product/product-reports.js';
import {
  createProductReceptions,
  type ProductReceptions,
} from '../../../cloud/equipment/product/product-receptions.js';
import { type CloudStore, inShare, type JournalEvent } from '../../../cloud/kernel/store/cloud-store.js';
import { openCloudStore } from '../../../cloud/kernel/store/open-cloud-store.js';
import type { CommittedChange } from '../../../cloud/kernel/store/store-kernel.js';
import { openMigratedStore } from '../../world/migrated-store.js';
import { CONFIG_SECTION_NAMES, type ConfigSection } from '../../../shared/gateway-config.js';
import type { Logger } from '../../../shared/logger.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { createProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import { type CommandMessage, commandMessageSchema } from '../../../shared/uplink-orders.js';
import { hearEvent } from '../../contract/realtime-contract.js';
import { FakeClock } from '../../world/fake-clock.js';
import { secrets, seedLinkSite, type LinkSite } from './link-site.js';

export interface LogLine {
  level: keyof Logger;
  fields: Record<string, unknown>;
  message: string;
}

export function createTestLog(): { lines: LogLine[]; logger: Logger } {
  const lines: LogLine[] = [];
  const at = (level: keyof Logger) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level, fields, message });
  return { lines, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}

export interface StoreWorld {
  clock: FakeClock;
  store: CloudStore;
  images: ImageStore;
  bootClocks: BootClocks;
  ingest: Ingest;
  receptions: ProductReceptions;
  commands: CommandDispatcher;
  /** What became stale of lots' configuration, in order; it reaches gateways in a link world. */
  staleConfig: { lot_id: number | null; sections: readonly ConfigSection[] }[];
  configChanged: ConfigChanged;
  /** Commands that were sent to gateways, in order. */
  sent: { uuid: GatewayUuid; message: CommandMessage }[];
  site: LinkSite;
  log: LogLine[];
  logger: Logger;
  /** Events as they were pushed, in order. */
  pushed: JournalEvent[];
  directory: string;
  close(): Promise<void>;
}

export interface StoreWorldOptions {
  /** One that was made and seeded before; it stays. */
  existing?: { directory: string; site: LinkSite };
  /** Of a database that the caller has by itself, and that is brought up to date; the directory's when left out. */
  databaseUrl?: string;
  /** False: events are neither kept in `pushed` nor looked at. A benchmark measures without it. */
  isHeard?: boolean;
  generatePublicId?: () => string;
  /** PRODUCT_SEEN_WITHIN_MS */
  seenWithinMs?: number;
  /** GATEWAY_WAIT_MS */
  gatewayWaitMs?: number;
  /** Where commands go besides `sent`. */
  broker?: () => Pick<Broker, 'publish'> | undefined;
  publisher?: () => Pick<ConfigPublisher, 'markStale'> | undefined;
  onCommitted?: (change: CommittedChange) => void;
}

export const GATEWAY_WAIT_MS = 30_000;

/** Store and ingest, without a broker. Time is a fake clock. */
export async function createStoreWorld(options: StoreWorldOptions = {}): Promise<StoreWorld> {
  const directory = options.existing?.directory ?? (await mkdtemp(join(tmpdir(), 'cloud-link-')));
  const clock = new FakeClock();
  const { lines, logger } = createTestLog();
  const { onCommitted } = options;
  const storeOptions = { clock, logger, ...(onCommitted === undefined ? {} : { onCommitted }) };
  const { databaseUrl } = options;
  const store =
    databaseUrl === undefined
      ? await openMigratedStore({ ...storeOptions, url: `sqlite:${join(directory, 'cloud.db')}` })
      : await openCloudStore({ ...storeOptions, url: databaseUrl });
  if (databaseUrl !== undefined) await store.migrate();
  const site = options.existing?.site ?? (await seedLinkSite(store));
  const images = createFileImageStore({ directory: join(directory, 'images') });
  const bootClocks = createBootClocks({ store });
  let madeIds = 0;
  const generatePublicId = options.generatePublicId ?? (() => `PUBLIC${String((madeIds += 1)).padStart(4, '0')}`);
  const receptions = createProductReceptions({ clock, seenWithinMs: options.seenWithinMs ?? 120_000 });
  const sent: StoreWorld['sent'] = [];
  const staleConfig: StoreWorld['staleConfig'] = [];
  const configChanged: ConfigChanged = ({ lot_id }, sections = CONFIG_SECTION_NAMES) => {
    staleConfig.push({ lot_id, sections });
    options.publisher?.()?.markStale({ lot_id }, sections);
  };
  const commands = createCommandDispatcher({
    store,
    broker: {
      async publish(uuid, channel, payload) {
        sent.push({ uuid, message: commandMessageSchema.parse(JSON.parse(payload)) });
        await options.broker?.()?.publish(uuid, channel, payload);
      },
    },
    receptions,
    secrets,
    configChanged,
    crypto: createProtocolCrypto(nodeCrypto),
    clock,
    logger,
    gatewayWaitMs: options.gatewayWaitMs ?? GATEWAY_WAIT_MS,
    productMinRssi: -95,
  });
  const ingest = createIngest({
    store: inShare(store, 'gateways'),
    images,
    clock,
    logger,
    bootClocks,
    generatePublicId,
    commands,
    configChanged,
  });
  const pushed: JournalEvent[] = [];
  if (options.isHeard !== false)
    store.onEvents((events) => {
      pushed.push(...events);
      for (const { event, payload } of events) hearEvent(event, payload);
    });
  return {
    clock,
    store,
    images,
    bootClocks,
    ingest,
    receptions,
    commands,
    sent,
    staleConfig,
    configChanged,
    site,
    log: lines,
    logger,
    pushed,
    directory,
    async close() {
      await commands.close();
      await store.close();
      if (options.existing === undefined) await rm(directory, { recursive: true });
    },
  };
}

export interface LinkWorld extends StoreWorld {
  broker: Broker & { readonly port: number };
  publisher: ConfigPublisher;
}

export interface LinkOptions extends StoreWorldOptions {
  /** What stands between the broker and the ingest. */
  wrapIngest?: (ingest: Ingest) => Ingest;
  limits?: Partial<BrokerLimits>;
  /** What each gateway may send. */
  allowances?: readonly Allowance[];
  startGraceMs?: number;
}

/** All of it. The broker's own timers are real. */
export async function createLinkWorld(options: LinkOptions = {}): Promise<LinkWorld> {
  let listening: Broker | undefined;
  let publishing: ConfigPublisher | undefined;
  const world = await createStoreWorld({ ...options, broker: () => listening, publisher: () => publishing });
  const { store, clock, logger, bootClocks, receptions, commands } = world;
  const ingest = options.wrapIngest?.(world.ingest) ?? world.ingest;
  const broker = await createAedesBroker({
    host: '127.0.0.1',
    port: 0,
    authenticate: createGatewayAuthenticator(store),
    isTerminalRegistered: async () => false,
    clock,
    logger,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  listening = broker;
  const builder = createConfigBuilder({ secrets, crypto: createProtocolCrypto(nodeCrypto), logger });
  const publisher = createConfigPublisher({
    store,
    broker,
    builder,
    clock,
    logger,
    onDeleted: ({ uuid }) => void broker.disconnect(uuid),
  });
  publishing = publisher;
  const { startGraceMs, seenWithinMs = 120_000 } = options;
  const presence = createPresenceTracker({
    store: inShare(store, 'gateways'),
    clock,
    logger,
    seenWithinMs,
    onOffline({ id, uuid }) {
      publisher.forget(uuid);
      commands.gatewayOffline(id);
    },
    ...(startGraceMs === undefined ? {} : { startGraceMs }),
  });
  const reports = createProductReports({
    store: inShare(store, 'gateways'),
    clock,
    logger,
    receptions,
    seenWithinMs,
  });
  const hello = createHelloHandler({
    store,
    clock,
    logger,
    bootClocks,
    disconnectGateway: (uuid) => void broker.disconnect(uuid),
  });
  const { allowances } = options;
  const quota = createUplinkQuota({ clock, logger, ...(allowances === undefined ? {} : { allowances }) });
  const rollCall = createRollCall({ broker, presence, store, clock, logger });
  const link = createGatewayLink({
    clock,
    broker,
    logger,
    presence,
    hello,
    ingest,
    reports,
    publisher,
    quota,
    rollCall,
    unhandled: createUnhandledMessages({ store: inShare(store, 'gateways'), clock, logger }),
  });
  return {
    ...world,
    broker,
    publisher,
    async close() {
      // The broker waits for messages that are under way, and time stands still.
      quota.close();
      await broker.close();
      link.close();
      await rollCall.close();
      await publisher.close();
      await presence.close();
      await reports.close();
      await world.close();
    },
  };
}
