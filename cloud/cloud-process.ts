/** The cloud as a process: its settings, every driver, its listeners. The program runs it, and so does whoever simulates a car park. */
import { join } from 'node:path';
import type { Registry } from 'prom-client';
import type { Clock } from '../shared/clock.js';
import type { Logger } from '../shared/logger.js';
import { createOtelTracer } from '../shared/node/otel-tracer.js';
import { systemClock } from '../shared/system-clock.js';
import { VERSION } from '../shared/version.js';
import { MIGRATIONS } from './all-migrations.js';
import { createAedesBroker } from './equipment/broker/aedes-broker.js';
import { openExternalBroker } from './equipment/broker/external-broker.js';
import { createSplitBroker } from './equipment/broker/split-broker.js';
import { type Cloud, createCloud } from './cloud.js';
import type { CloudDeps } from './ground.js';
import type { CloudConfig } from './config.js';
import { createGatewayAuthenticator, createGatewayCredentials } from './equipment/gateway/mqtt-password.js';
import { createIsProxy } from './rest/server/client-address.js';
import { createFileImageStore } from './traffic/image/file-image-store.js';
import { readOpenFilesMax, socketBudget } from './kernel/limit/socket-budget.js';
import { accountIds } from './site/account/account-queries.js';
import { createFileMailSender } from './site/mail/file-mail-sender.js';
import type { MailSender } from './site/mail/mail-sender.js';
import { createSmtpMailSender } from './site/mail/smtp-mail-sender.js';
import { createProcessMetrics } from './kernel/measure/process-metrics.js';
import { createDatabaseClock } from './kernel/peers/database-clock.js';
import { createPasswords, type Passwords } from './kernel/secrets/passwords.js';
import { requireServerKey } from './kernel/secrets/require-server-key.js';
import { createSecrets } from './kernel/secrets/secrets.js';
import { loadServerKey } from './kernel/secrets/server-key.js';
import { openTlsFiles, readAuthority, type TlsPlace } from './kernel/secrets/tls-files.js';
import type { CloudStore } from './kernel/store/cloud-store.js';
import { leapIfRestored } from './kernel/store/leap-if-restored.js';
import { openCloudStore } from './kernel/store/open-cloud-store.js';
import { isTerminalKeyKnown } from './equipment/terminal/terminal-queries.js';
import { createHttpWebhookSender } from './doors/webhook/http-webhook-sender.js';
import type { WebhookSender } from './doors/webhook/webhook-sender.js';

/** Replacements for parts of the machine. */
export interface CloudProcessOverrides {
  clock?: Clock;
  /** Numbers in [0, 1). */
  random?: () => number;
  passwords?: Passwords;
  webhookSender?: WebhookSender;
  /** The database, already open. */
  store?: CloudStore;
  /** Returns the broker that the cloud speaks to, around the one that was opened. `store`: the database that it lets gateways in by. */
  aroundBroker?: (broker: CloudDeps['broker'], store: CloudStore) => CloudDeps['broker'];
}

export interface RunningCloud extends Cloud {
  /** Where gateways and terminals connect. */
  readonly brokerPort: number;
}

/**
 * Opens the database and brings it up to date, then the broker, and starts the service.
 * @throws when it cannot start; then nothing of it runs
 */
export async function startCloud(
  config: CloudConfig,
  { logger, overrides = {} }: { logger: Logger; overrides?: CloudProcessOverrides },
): Promise<RunningCloud> {
  const { passwords = createPasswords({ pausingClock: systemClock }) } = overrides;
  const sockets = socketBudget(readOpenFilesMax());
  const tls = tlsFilesOf(config.tls, logger);
  const serverKey = loadServerKey({ dataDir: config.dataDir, serverKey: config.serverKey });
  const mailSender = mailSenderOf(config);
  const registry = createProcessMetrics();
  const tracer = await tracerOf(config, logger);
  const databaseClock = createDatabaseClock({ clock: systemClock, logger });
  const clock = overrides.clock ?? databaseClock;
  const { derive } = createSecrets(serverKey);
  const store = overrides.store ?? (await openCloudStore({ url: config.databaseUrl, clock, logger, registry, derive }));
  try {
    const migrations = await store.migrate(MIGRATIONS);
    if (migrations.length > 0) logger.info({ migrations }, 'database brought up to date');
    if (store.peers !== null) await databaseClock.follow(store.peers);
    await requireServerKey({ store, secrets: createSecrets(serverKey), clock }, { isNoted: true });
    if (await leapIfRestored({ store, clock, random: overrides.random ?? Math.random, accountIds }))
      logger.warn({}, 'the database was restored from a copy: ids and cursors go on far beyond those that it knows');
    const { broker, ca } = await openBroker(config, { store, serverKey, clock, logger, registry });
    const deps: CloudDeps = {
      store,
      broker: overrides.aroundBroker?.(broker, store) ?? broker,
      images: createFileImageStore({ directory: join(config.dataDir, 'images') }),
      passwords,
      webhookSender:
        overrides.webhookSender ?? createHttpWebhookSender({ allowPrivate: config.webhookAllowPrivate, clock }),
      mailSender,
      serverKey,
      clock,
      logger,
      tls,
      mqttTls: {
        get ca() {
          return ca();
        },
      },
      sockets,
      registry,
      tracer,
    };
    const { random } = overrides;
    const cloud = await createCloud(config, deps, random === undefined ? {} : { random }).catch(
      async (error: unknown) => {
        await broker.close();
        throw error;
      },
    );
    if (config.smtp === null) logger.info({}, 'SMTP_URL is not set: mails are written as files into DATA_DIR');
    return { ...cloud, brokerPort: broker.port };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function tracerOf({ otlpEndpoint }: CloudConfig, logger: Logger) {
  if (otlpEndpoint === null) return null;
  const service = { name: 'parking-cloud', version: VERSION };
  return createOtelTracer({ endpoint: otlpEndpoint, service, clock: systemClock, logger });
}

const tlsFilesOf = (place: TlsPlace | null, logger: Logger) =>
  place === null ? null : openTlsFiles(place, { clock: systemClock, logger });

/** Mails go to the mail server, or into files when there is none. */
function mailSenderOf({ smtp, mailFrom: from, dataDir }: CloudConfig): MailSender {
  if (smtp === null) return createFileMailSender({ directory: join(dataDir, 'mail'), from });
  const ca = smtp.ca === null ? null : readAuthority({ setting: 'SMTP_CA', path: smtp.ca });
  return createSmtpMailSender({ place: { url: smtp.url, ca }, from, clock: systemClock });
}

/** Opens the broker of the gateways. An external one has the embedded one beside it, for terminals alone. */
async function openBroker(
  config: CloudConfig,
  {
    store,
    serverKey,
    clock,
    logger,
    registry,
  }: { store: CloudStore; serverKey: Uint8Array; clock: Clock; logger: Logger; registry: Registry },
) {
  const tls = tlsFilesOf(config.mqttTls, logger);
  const place = config.externalBroker;
  const secrets = createSecrets(serverKey);
  const { derive } = secrets;
  const credentials = createGatewayCredentials({ store, secrets, logger });
  const gateways =
    place === null ? null : await openExternalBroker({ place, derive, credentials, clock, logger, registry });
  const embedded = await createAedesBroker({
    host: config.mqttHost,
    port: config.mqttPort,
    authenticate: gateways === null ? createGatewayAuthenticator(store) : async () => false,
    isProxy: createIsProxy(config.trustedProxies),
    isTerminalRegistered: (key) => isTerminalKeyKnown(store.reader, key),
    clock,
    logger,
    tls: tls ?? undefined,
    limits: { connectionsMax: socketBudget(readOpenFilesMax()).mqtt },
    // What waits is measured where the gateways are.
    ...(gateways === null ? { registry } : {}),
  }).catch(async (error: unknown) => {
    await gateways?.close();
    throw error;
  });
  if (gateways === null) return { broker: embedded, ca: () => tls?.ca ?? null };
  return { broker: createSplitBroker({ gateways, terminals: embedded }), ca: () => gateways.ca };
}
