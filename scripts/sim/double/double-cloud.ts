/** The real cloud in this process, with what the site file declares in a database of its own. */
import { join } from 'node:path';
import { MIGRATIONS } from '../../../cloud/all-migrations.js';
import { startCloud } from '../../../cloud/cloud-process.js';
import { CLOUD_SETTINGS, type CloudConfig, loadCloudConfig } from '../../../cloud/config.js';
import { findGatewayByUuid } from '../../../cloud/equipment/gateway/gateway-queries.js';
import { createPasswords, type Passwords } from '../../../cloud/kernel/secrets/passwords.js';
import { createSecrets } from '../../../cloud/kernel/secrets/secrets.js';
import { loadServerKey } from '../../../cloud/kernel/secrets/server-key.js';
import { applySite } from '../../../cloud/doors/site-file/apply-site.js';
import type { SiteFile } from '../../../cloud/doors/site-file/read-site-file.js';
import { createCloudStore } from '../../../cloud/kernel/store/sqlite/sqlite-store.js';
import { createHttpWebhookSender } from '../../../cloud/doors/webhook/http-webhook-sender.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { type HeardReports, noteReports } from './heard-reports.js';
import { createLoopbackWebhookSender } from './loopback-webhook-sender.js';
import type { MovableClock } from './movable-clock.js';

const HOST = '127.0.0.1';
/** Settings that the double makes itself: where the cloud listens, and where it keeps its data. */
const OWN_SETTINGS = new Set([
  'HOST',
  'PORT',
  'BASE_URL',
  'DATA_DIR',
  'DATABASE_URL',
  'MQTT_URL',
  'TLS_CERT',
  'TLS_KEY',
  'MQTT_TLS_CERT',
  'MQTT_TLS_KEY',
  'MQTT_HOST',
  'MQTT_PORT',
  'MQTT_PUBLIC_URL',
  'LOG_LEVEL',
  'SERVER_KEY',
]);

/** A secret that was made for something that the site file declares without one. */
export interface MadeSecret {
  /** `token` */
  what: string;
  /** `weblink Courier` */
  of: string;
  secret: string;
}

export interface DoubleCloud {
  readonly port: number;
  readonly brokerPort: number;
  readonly made: readonly MadeSecret[];
  readonly heard: HeardReports;
  /** Whether the cloud knows a gateway as online. */
  isOnline(uuid: GatewayUuid): Promise<boolean>;
  close(): Promise<void>;
}

/** Rejects when the site file does not fit (SiteFileError), or the cloud cannot start; then nothing of it runs. */
export async function startDoubleCloud(options: {
  site: SiteFile;
  baseUrl: string;
  dataDir: string;
  clock: MovableClock;
  passwords: Passwords;
  logger: Logger;
}): Promise<DoubleCloud> {
  const { logger, passwords } = options;
  const dataDir = join(options.dataDir, 'cloud');
  const config = cloudConfig({ ...options, dataDir });
  const clock = options.clock.layer('cloud');
  // The store's timers watch a file: moved time has no meaning for them.
  const secrets = createSecrets(loadServerKey(config));
  const { derive } = secrets;
  const store = await createCloudStore({ url: config.databaseUrl, clock: systemClock, logger, derive });
  let steps: Awaited<ReturnType<typeof applySite>>;
  try {
    await store.migrate(MIGRATIONS);
    const deps = { store, secrets, passwords, clock, baseUrl: options.baseUrl };
    steps = await applySite(options.site, deps, { prune: false, dryRun: false });
  } catch (error) {
    await store.close();
    throw error;
  }
  let heard: HeardReports = () => null;
  const cloud = await startCloud(config, {
    logger,
    overrides: {
      clock,
      store,
      passwords,
      webhookSender: process.env.WEBHOOK_ALLOW_PRIVATE
        ? createHttpWebhookSender({ allowPrivate: config.webhookAllowPrivate, clock: systemClock })
        : createLoopbackWebhookSender({ clock: systemClock }),
      aroundBroker(opened) {
        const noted = noteReports(opened, clock);
        ({ heard } = noted);
        return noted.broker;
      },
    },
  });
  return {
    port: cloud.port,
    brokerPort: cloud.brokerPort,
    made: steps.flatMap((step) => {
      if (step.action !== 'create' || step.thing.made === null) return [];
      const { made, label } = step.thing;
      return [{ what: made.what, of: label, secret: made.secret }];
    }),
    heard,
    isOnline: async (uuid) => (await findGatewayByUuid(store.reader, uuid))?.status === 'online',
    close: cloud.close,
  };
}

/** One for all starts: a password that was hashed once need not be hashed again. */
export function createDoublePasswords(): Passwords {
  const passwords = createPasswords({ pausingClock: systemClock });
  const hashes = new Map<string, Promise<string>>();
  return {
    hash(password) {
      const hash = hashes.get(password) ?? passwords.hash(password);
      hashes.set(password, hash);
      return hash;
    },
    verify: passwords.verify,
  };
}

/** The cloud's environment variables may set its limits and times. */
function cloudConfig({ baseUrl, dataDir }: { baseUrl: string; dataDir: string }): CloudConfig {
  const named = Object.keys(CLOUD_SETTINGS).filter((name) => !OWN_SETTINGS.has(name));
  const environment = {
    // REST accepts all addresses; the sender decides which ones are reached.
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ...Object.fromEntries(named.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    HOST,
    PORT: '0',
    MQTT_HOST: HOST,
    MQTT_PORT: '0',
    BASE_URL: baseUrl,
    DATA_DIR: dataDir,
  };
  // The data directory has no .env: that of the integrator's project must not be read.
  return loadCloudConfig({ environment, workingDirectory: dataDir });
}
