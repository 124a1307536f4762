/** The cloud as it ships, with a car park of gateways: as tests of ingest, commands and links need it. Time is a fake clock. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAedesBroker } from '../../../cloud/equipment/broker/aedes-broker.js';
import type { BrokerLimits } from '../../../cloud/equipment/broker/aedes-state.js';
import type { CommandDispatcher } from '../../../cloud/equipment/command/command-dispatcher.js';
import type { Commands } from '../../../cloud/equipment/command/commands.js';
import { createGatewayAuthenticator } from '../../../cloud/equipment/gateway/mqtt-password.js';
import type { CloudDeps } from '../../../cloud/ground.js';
import type { GatewayParts } from '../../../cloud/gateways.js';
import type { Allowance } from '../../../cloud/doors/uplink/uplink-quota.js';
import type { JournalEvent } from '../../../cloud/kernel/store/cloud-store.js';
import type { CommittedChange } from '../../../cloud/kernel/store/transaction.js';
import { CONFIG_SECTION_NAMES, type ConfigSection } from '../../../shared/gateway-config.js';
import { hearEvent } from '../../contract/realtime-contract.js';
import { type CloudWorld, type CommandParts, startCloudWorld, type WorldOptions } from '../http/http-world.js';
import { LINK_SERVER_KEY, type LinkSite, seedLinkSite } from './link-site.js';

export interface StoreWorld
  extends Pick<CloudWorld, 'clock' | 'store' | 'images' | 'directory' | 'log' | 'logger' | 'close'>,
    Pick<GatewayParts, 'bootClocks' | 'ingest' | 'receptions' | 'publisher' | 'configChanged'> {
  /** What runs commands, and what gives them. */
  commands: CommandDispatcher;
  orders: Commands;
  /** What became stale of lots' configuration, in order. */
  staleConfig: { lot_id: number | null; sections: readonly ConfigSection[] }[];
  /** Commands that were sent to gateways, in order. */
  sent: CommandParts['sent'];
  site: LinkSite;
  /** Events as they were pushed, in order. */
  pushed: JournalEvent[];
  /** Stops the cloud, and keeps its data. */
  stop(): Promise<void>;
}

export interface StoreWorldOptions {
  /** One that was made and seeded before; it stays. */
  existing?: { directory: string; site: LinkSite };
  /** Of a database that the caller has by itself, and that is brought up to date; the directory's when left out. */
  databaseUrl?: string;
  /** False: events are neither kept in `pushed` nor looked at. A benchmark measures without it. */
  isHeard?: boolean;
  generatePublicId?: () => string;
  openBroker?: NonNullable<WorldOptions['openBroker']>;
  /** What each gateway may send. */
  allowances?: readonly Allowance[];
  onCommitted?: (change: CommittedChange) => void;
}

export const GATEWAY_WAIT_MS = 30_000;

/** With a broker in memory. */
export async function createStoreWorld(options: StoreWorldOptions = {}): Promise<StoreWorld> {
  const { existing, isHeard = true, generatePublicId = countingPublicIds(), allowances, ...others } = options;
  const directory = existing?.directory ?? (await mkdtemp(join(tmpdir(), 'cloud-link-')));
  const pushed: JournalEvent[] = [];
  const staleConfig: StoreWorld['staleConfig'] = [];
  let seeded = existing?.site;
  const cloud = await startCloudWorld({
    ...others,
    directory,
    serverKey: LINK_SERVER_KEY,
    commandsPerMin: 0,
    async onOpened(store) {
      seeded ??= await seedLinkSite(store);
      if (!isHeard) return;
      store.onEvents((events) => {
        pushed.push(...events);
        for (const { event, payload } of events) hearEvent(event, payload);
      });
    },
    gateways: {
      generatePublicId,
      ...(allowances === undefined ? {} : { allowances }),
      onConfigChanged: ({ lot_id }, sections = CONFIG_SECTION_NAMES) => void staleConfig.push({ lot_id, sections }),
    },
  });
  // Changes are done in their order: what the cloud does at its start comes before this one.
  await cloud.store.change(async () => {});
  if (seeded === undefined) throw new Error('the database was not opened');
  const { bootClocks, ingest, receptions, publisher, configChanged, dispatcher, commands: orders } = cloud.gatewayParts;
  const { clock, store, images, log, logger, commandParts } = cloud;
  return {
    clock,
    store,
    images,
    directory,
    log,
    logger,
    bootClocks,
    ingest,
    receptions,
    publisher,
    configChanged,
    commands: dispatcher,
    orders,
    staleConfig,
    sent: commandParts.sent,
    site: seeded,
    pushed,
    stop: cloud.close,
    async close() {
      await cloud.close();
      if (existing === undefined) await rm(directory, { recursive: true });
    },
  };
}

function countingPublicIds(): () => string {
  let made = 0;
  return () => `PUBLIC${String((made += 1)).padStart(4, '0')}`;
}

export interface LinkWorld extends StoreWorld {
  broker: CloudDeps['broker'];
}

export interface LinkOptions extends Omit<StoreWorldOptions, 'openBroker'> {
  limits?: Partial<BrokerLimits>;
}

/** With the embedded broker on loopback, whose own timers are real. */
export async function createLinkWorld({ limits = {}, ...options }: LinkOptions = {}): Promise<LinkWorld> {
  const opened: LinkWorld['broker'][] = [];
  const world = await createStoreWorld({
    ...options,
    async openBroker(deps) {
      const broker = await createAedesBroker({
        ...deps,
        host: '127.0.0.1',
        port: 0,
        authenticate: createGatewayAuthenticator(deps.store),
        isTerminalRegistered: async () => false,
        limits,
      });
      opened.push(broker);
      return broker;
    },
  });
  const [broker] = opened;
  if (broker === undefined) throw new Error('no broker was opened');
  return { ...world, broker };
}
