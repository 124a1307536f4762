/** A program that uses the agent's store as its parent asks, and answers how it went. `node store-servant.js FILE` */
import { openSqliteAgentStore } from '../../agent/store/sqlite-agent-store.js';
import { type AgentStore, StoreError } from '../../agent/store/agent-store.js';
import { silentLogger } from '../../shared/logger.js';
import { imageEntry, sightingEntry } from '../world/agent-records.js';

export type ServantRequest =
  | { do: 'append'; at: number }
  | { do: 'image'; bytes: number }
  /** Begins so many appends to lane 0; answered before they end. */
  | { do: 'begin'; count: number }
  /** Answered when every append that was begun has ended. */
  | { do: 'settle' }
  | { do: 'close' };

export type ServantAnswer = { opened: string } | { done: string };

const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'kept',
    (error: unknown) => (error instanceof StoreError ? error.code : String(error)),
  );
const answer = (message: ServantAnswer): void => void process.send?.(message);

const opening = openSqliteAgentStore({ path: process.argv[2] ?? '', logger: silentLogger });
answer({ opened: await outcome(opening) });
if ((await outcome(opening)) === 'kept') serve(await opening);
else process.disconnect();

function serve(store: AgentStore): void {
  let begun: Promise<unknown>[] = [];
  process.on('message', (request: ServantRequest) => {
    switch (request.do) {
      case 'append':
        return void outcome(store.append(sightingEntry(request.at, 0))).then((done) => answer({ done }));
      case 'image':
        return void outcome(store.appendImage(imageEntry(new Uint8Array(request.bytes)))).then((done) =>
          answer({ done }),
        );
      case 'begin':
        begun = begun.concat(Array.from({ length: request.count }, (_, at) => store.append(sightingEntry(at, 0))));
        return answer({ done: 'begun' });
      case 'settle':
        return void outcome(Promise.all(begun)).then((done) => answer({ done }));
      case 'close':
        return void outcome(store.close()).then((done) => {
          answer({ done });
          process.disconnect();
        });
    }
  });
}
