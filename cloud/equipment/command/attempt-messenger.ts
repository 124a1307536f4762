/** Sends the messages of an attempt to its gateway, without waiting. If a message does not arrive, the attempt ends by its time. */
import type { Clock } from '../../../shared/clock.js';
import { type EventId, type GatewayUuid, productDeviceIdSchema } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { ProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import type { PairingMessage } from '../../../shared/uplink-orders.js';
import type { Broker } from '../broker/broker.js';
import type { Secrets } from '../../kernel/secrets/entry.js';
import { commandMessage } from './command-message.js';
import type { BegunAttempt } from './command-steps.js';
import { PAIR } from './ordered-command.js';

export interface AttemptMessengerDeps {
  broker: Pick<Broker, 'publish'>;
  secrets: Pick<Secrets, 'open'>;
  crypto: ProtocolCrypto;
  clock: Clock;
  logger: Logger;
}

export interface AttemptMessenger {
  /** Asks the gateway for its attempt. */
  ask(event_id: EventId, begun: BegunAttempt): void;
  /** Brings the answer to a product's offer (base64url) to the gateway that relays it. */
  answerOffer(uuid: GatewayUuid, offered: { event_id: EventId; answer: string }): void;
}

export function createAttemptMessenger(deps: AttemptMessengerDeps): AttemptMessenger {
  const { clock, logger } = deps;

  function publishPairing(uuid: GatewayUuid, message: PairingMessage): void {
    const fields = { event_id: message.event_id, uuid, step: message.step };
    deps.broker.publish(uuid, 'pairing', JSON.stringify(message)).catch((error: unknown) => {
      logger.warn({ ...fields, err: error }, 'a step of a pairing could not be sent to a gateway');
    });
    logger.info(fields, 'step of a pairing sent');
  }

  function ask(event_id: EventId, begun: BegunAttempt): void {
    const { gateway_id, gateway_uuid, product, command } = begun;
    if (gateway_uuid === null) return;
    if (command.name === PAIR) {
      const device_id = productDeviceIdSchema.parse(product.device_id);
      const { deadline_ms } = begun;
      publishPairing(gateway_uuid, { step: 'begin', event_id, product_id: product.id, device_id, deadline_ms });
      return;
    }
    if (product.master_key_sealed === null) return;
    const { id: product_id, lot_id } = product;
    const fields = { event_id, product_id, lot_id, command: command.name, gateway_id, uuid: gateway_uuid };
    try {
      const message = commandMessage(deps.crypto, {
        event_id,
        product,
        masterKey: deps.secrets.open('product_master_key', product.master_key_sealed),
        command,
        deadlineMs: begun.deadline_ms,
        hasOthers: begun.has_others,
        now: clock.now(),
      });
      deps.broker.publish(gateway_uuid, 'command', JSON.stringify(message)).catch((error: unknown) => {
        logger.warn({ ...fields, err: error }, 'a command could not be sent to a gateway');
      });
      logger.info(fields, 'command sent');
    } catch (error) {
      logger.error({ ...fields, err: error }, 'the message of a command could not be built');
    }
  }

  return {
    ask,
    answerOffer: (uuid, { event_id, answer }) => publishPairing(uuid, { step: 'answer', event_id, answer }),
  };
}
