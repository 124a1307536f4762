import * as nodeCrypto from 'node:crypto';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import type { CloudConfig } from '../../cloud/config.js';
import { createHttpWebhookSender } from '../../cloud/doors/webhook/http-webhook-sender.js';
import { createAedesBroker } from '../../cloud/equipment/broker/aedes-broker.js';
import { createGatewayAuthenticator } from '../../cloud/equipment/gateway/mqtt-password.js';
import type { CloudDeps } from '../../cloud/ground.js';
import { socketBudget } from '../../cloud/kernel/limit/socket-budget.js';
import { createPasswords } from '../../cloud/kernel/secrets/passwords.js';
import { createFileMailSender } from '../../cloud/site/mail/file-mail-sender.js';
import { createFileImageStore } from '../../cloud/traffic/image/file-image-store.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';

/** What a cloud needs that has its files in the DATA_DIR of `config`: it has a broker of its own, and knows no terminals. */
export async function cloudDeps(
  config: CloudConfig,
  { store, ...over }: Partial<CloudDeps> & Pick<CloudDeps, 'store'>,
): Promise<CloudDeps> {
  const { clock = systemClock, logger = silentLogger } = over;
  return {
    store,
    broker:
      over.broker ??
      (await createAedesBroker({
        host: config.mqttHost,
        port: config.mqttPort,
        authenticate: createGatewayAuthenticator(store),
        isTerminalRegistered: async () => false,
        clock,
        logger,
      })),
    images: createFileImageStore({ directory: join(config.dataDir, 'images') }),
    passwords: createPasswords(),
    webhookSender: createHttpWebhookSender({ allowPrivate: config.webhookAllowPrivate, clock }),
    mailSender: createFileMailSender({ directory: join(config.dataDir, 'mail'), from: config.mailFrom }),
    serverKey: nodeCrypto.randomBytes(32),
    clock,
    logger,
    tls: null,
    mqttTls: null,
    sockets: socketBudget(null),
    registry: new Registry(),
    tracer: null,
    ...over,
  };
}
