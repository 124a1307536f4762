/** What the cloud is given, and what most of its parts stand on. */
import * as nodeCrypto from 'node:crypto';
import { join } from 'node:path';
import type { Registry } from 'prom-client';
import type { Clock } from '../shared/clock.js';
import type { Logger } from '../shared/logger.js';
import { createProtocolCrypto } from '../shared/product-protocol/protocol-crypto.js';
import type { Tracer } from '../shared/tracer.js';
import type { CloudConfig } from './config.js';
import { measureTroubles } from './doors/troubles/trouble-metrics.js';
import { measureWebhooks } from './doors/webhook/webhook-dispatcher.js';
import type { WebhookSender } from './doors/webhook/webhook-sender.js';
import type { Broker } from './equipment/broker/broker.js';
import { measuredBroker } from './equipment/broker/broker-metrics.js';
import { measureGateways } from './equipment/gateway/gateway-metrics.js';
import { createReleaseFiles } from './equipment/release/release-files.js';
import { createReleaseLinks } from './equipment/release/release-links.js';
import type { TerminalLink } from './equipment/terminal/terminal-link.js';
import { createTokenRevocations } from './kernel/auth/token-revocations.js';
import { countSharing } from './kernel/limit/shared-counts.js';
import type { SocketBudget } from './kernel/limit/socket-budget.js';
import type { Passwords } from './kernel/secrets/passwords.js';
import { createSecrets } from './kernel/secrets/secrets.js';
import type { TlsFiles } from './kernel/secrets/tls-files.js';
import type { CloudStore } from './kernel/store/cloud-store.js';
import { measureJournal } from './kernel/store/journal-metrics.js';
import { measureMails } from './site/mail/compose-mails.js';
import type { MailSender } from './site/mail/mail-sender.js';
import { createImageLinks } from './traffic/image/image-links.js';
import type { ImageStore } from './traffic/image/image-store.js';
import { measureEarlyRecords } from './traffic/ingest/ingest-metrics.js';
import { createEventSpans, type EventSpans, traceJournal } from './traffic/trace/event-spans.js';

export interface CloudDeps {
  /** The store, already migrated. */
  store: CloudStore;
  /** The broker, already listening. */
  broker: Broker & { readonly port: number; readonly terminals: TerminalLink };
  images: ImageStore;
  passwords: Passwords;
  webhookSender: WebhookSender;
  mailSender: MailSender;
  serverKey: Uint8Array;
  clock: Clock;
  logger: Logger;
  /** Of the REST and WebSocket listener; null: it speaks without TLS. */
  tls: TlsFiles | null;
  /** Of the broker that gateways use: an authority of its own is told them. */
  mqttTls: Pick<TlsFiles, 'ca'> | null;
  /** How many connections its listeners may hold. */
  sockets: SocketBudget;
  /** The measurements, to which database and broker add theirs. */
  registry: Registry;
  /** null: nothing is traced. */
  tracer: Tracer | null;
}

/** The parts that most others of the cloud stand on. */
export type Ground = ReturnType<typeof composeGround>;

export function composeGround(config: CloudConfig, deps: CloudDeps, baseUrl: () => string) {
  const { store, images, passwords, webhookSender, mailSender, clock, logger, registry, tracer, mqttTls } = deps;
  const secrets = createSecrets(deps.serverKey);
  const { derive } = secrets;
  measureDatabase(deps);
  return {
    store,
    images,
    passwords,
    webhookSender,
    mailSender,
    clock,
    logger,
    registry,
    tracer,
    secrets,
    crypto: createProtocolCrypto(nodeCrypto),
    baseUrl,
    broker: measuredBroker(deps.broker, { registry, clock }),
    mqttPort: deps.broker.port,
    mqttTls,
    imageLinks: createImageLinks({ derive, baseUrl, clock }),
    releaseLinks: createReleaseLinks({ derive, baseUrl }),
    releaseFiles: createReleaseFiles(join(config.dataDir, 'releases')),
    shareCounts: countSharing({ peers: store.peers, clock }),
    revocations: createTokenRevocations(),
    spans: traceEvents(deps),
  };
}

/** Adds the events of the journal to the traces of plate reads. null: nothing is traced. */
function traceEvents({ tracer, store, clock, logger }: CloudDeps): EventSpans | null {
  if (tracer === null) return null;
  const spans = createEventSpans({ tracer, store, logger });
  traceJournal(store, { spans, clock });
  return spans;
}

function measureDatabase(deps: CloudDeps): void {
  const { store } = deps;
  measureGateways(store, deps);
  measureJournal(store, deps);
  measureEarlyRecords(store, deps);
  measureWebhooks(store, deps);
  measureMails(store, deps);
  measureTroubles(store, deps);
}
