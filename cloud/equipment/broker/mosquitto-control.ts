/**
 * Orders of the cloud to Mosquitto's dynamic-security plugin, over MQTT. One command a message: the plugin writes its whole file after
 * each, in the broker's only thread, and a message of twenty commands would hold up every gateway twenty times as long.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { BrokerAddress } from './broker-address.js';
import { openMqttConnection } from './mqtt-connection.js';
import { parseJson } from '../../../shared/json-text-codec.js';

/** `command` is the plugin's own word; the other fields are its arguments. */
export interface MosquittoCommand {
  command: string;
  [argument: string]: unknown;
}

export interface MosquittoControl {
  /** Resolves to what the plugin answers; rejects when it refuses, does not answer, or the connection is lost. */
  run(command: MosquittoCommand): Promise<unknown>;
  close(): Promise<void>;
}

/** The plugin refuses a command, in its own words. */
export class MosquittoRefusal extends Error {
  constructor(
    readonly command: string,
    readonly reason: string,
  ) {
    super(`Mosquitto refuses ${command}: ${reason}`);
    this.name = 'MosquittoRefusal';
  }
}

/** No answer came: the plugin is not loaded, or the user is not its administrator. Mosquitto accepts the command message in either case. */
export class NoMosquittoAnswerError extends Error {
  constructor() {
    super("Mosquitto's dynamic-security plugin does not answer");
    this.name = 'NoMosquittoAnswerError';
  }
}

const TOPIC = '$CONTROL/dynamic-security/v1';
const ANSWER_TOPIC = `${TOPIC}/response`;
/** Answers take long when a list has thousands of gateways, and while thousands of them connect at once. */
const ANSWER_WAIT_MS = 20_000;

const answersSchema = z.object({
  responses: z.array(
    z.object({
      command: z.string(),
      correlationData: z.string().optional(),
      error: z.string().optional(),
      data: z.unknown().optional(),
    }),
  ),
});

interface Pending {
  resolve(data: unknown): void;
  reject(error: Error): void;
}

export interface MosquittoControlOptions {
  address: BrokerAddress;
  clock: Clock;
  logger: Logger;
  answerWaitMs?: number;
}

/** Connects. Rejects with what to do when the broker cannot be reached. */
export async function openMosquittoControl(options: MosquittoControlOptions): Promise<MosquittoControl> {
  const { clock, logger } = options;
  const pending = new Map<string, Pending>();

  function handleAnswer(payload: Buffer): void {
    const answers = answersSchema.safeParse(parseJson(payload.toString('utf8')));
    if (!answers.success) {
      logger.warn({ bytes: payload.byteLength }, "an answer of Mosquitto's dynamic-security plugin is not understood");
      return;
    }
    for (const { command, correlationData = '', error, data } of answers.data.responses) {
      const asker = pending.get(correlationData);
      pending.delete(correlationData);
      if (error === undefined) asker?.resolve(data);
      else asker?.reject(new MosquittoRefusal(command, error));
    }
  }
  const subscribe = () => connection.subscribe([ANSWER_TOPIC]);
  const connection = await openMqttConnection({
    address: options.address,
    purpose: 'accounts',
    clock,
    logger,
    onMessage: ({ payload }) => handleAnswer(payload),
    onLost(problem) {
      for (const { reject } of pending.values()) reject(problem);
    },
    onReopen() {
      subscribe().catch((error: unknown) => {
        logger.warn({ err: error }, "answers of Mosquitto's dynamic-security plugin cannot be heard");
      });
    },
  });
  await subscribe().catch(async () => {
    await connection.close();
    throw new NoMosquittoAnswerError();
  });

  return {
    run(command) {
      const correlationData = randomUUID();
      return new Promise((resolve, reject) => {
        const timer = clock.setTimer(options.answerWaitMs ?? ANSWER_WAIT_MS, () => fail(new NoMosquittoAnswerError()));
        const settle = () => {
          timer.cancel();
          pending.delete(correlationData);
        };
        const fail = (error: Error) => {
          settle();
          reject(error);
        };
        pending.set(correlationData, {
          resolve(data) {
            settle();
            resolve(data);
          },
          reject: fail,
        });
        connection.publish(TOPIC, JSON.stringify({ commands: [{ ...command, correlationData }] })).catch(fail);
      });
    },
    close: () => connection.close(),
  };
}
