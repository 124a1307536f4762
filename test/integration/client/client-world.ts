/** A cloud with one of everything, and a product that a gateway hears and answers for. */
import { type ClientOptions, createClient } from '../../../shared/client/index.js';
import { WebSocket } from 'ws';
import { fetchDocument } from '../../contract/openapi-document.js';
import { createEverything, seeProduct, type Things, sendAs, servedIn } from '../http/rest-everything.js';
import { OWNER_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';
import type { WorldOptions } from '../http/http-world.js';
import { commandResultOf } from '../../world/agent-records.js';

export interface ClientWorld extends RestWorld {
  things: Things;
  /** The product that a gateway hears. */
  product: number;
  /** A client of the owner, with a WebSocket. */
  client(options?: Partial<ClientOptions>): ReturnType<typeof createClient>;
  /** The gateway reports how the last command that it was sent ended. @param failure the type of `gateway_error`; null: it succeeded */
  answerCommand(failure: 6 | null): Promise<void>;
}

export async function startClientWorld(options: WorldOptions = {}): Promise<ClientWorld> {
  const world = await startRestWorld(options);
  const { paths } = await fetchDocument(world.cloud.base);
  const things = await createEverything(sendAs(world.cloud, OWNER_TOKEN), servedIn(paths));
  await seeProduct(world, things);
  return {
    ...world,
    things,
    product: Number(things.get('/v2/products')),
    client: (more = {}) => createClient({ baseUrl: world.cloud.base, token: OWNER_TOKEN, WebSocket, ...more }),
    answerCommand: (failure) => answerCommand(world, Number(things.get('/v2/gateways')), failure),
  };
}

async function answerCommand({ cloud }: RestWorld, gateway_id: number, failure: 6 | null): Promise<void> {
  const { sent, dispatcher } = cloud.commandParts;
  const message = sent.at(-1)?.message;
  if (message === undefined) throw new Error('No gateway was asked for anything');
  const isKnown = await cloud.store.change((tx) =>
    dispatcher.applyResult(tx, {
      gateway_id,
      at_ms: cloud.clock.now(),
      record: commandResultOf(message, failure),
    }),
  );
  if (!isKnown) throw new Error('Nobody asked for this');
}
