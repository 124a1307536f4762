/** A program that does with the agent's store what its parent asks, and says how it went. `node store-servant.js FILE` */
import { openSqliteAgentStore } from '../../agent/store/sqlite-agent-store.js';
import { type AgentStore, StoreError } from '../../agent/store/agent-store.js';
import { silentLogger } from '../../shared/logger.js';
import { imageEntry, sightingEntry } from '../sim/world/agent-records.js';

export type ServantRequest =
  | { do: 'append'; at: number }
  | { do: 'image'; bytes: number }
  /** So many appends to lane 0, one every 2 ms. */
  | { do: 'stream'; count: number }
  | { do: 'close' };

export type ServantAnswer = { opened: string } | { done: string; stalls?: number; askedMs?: number };

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
  process.on('message', (request: ServantRequest) => {
    switch (request.do) {
      case 'append':
        return void outcome(store.append(sightingEntry(request.at, 0))).then((done) => answer({ done }));
      case 'image':
        return void outcome(store.appendImage(imageEntry(new Uint8Array(request.bytes)))).then((done) =>
          answer({ done }),
        );
      case 'stream':
        return void stream(store, request.count).then(answer);
      case 'close':
        return void outcome(store.close()).then((done) => {
          answer({ done });
          process.disconnect();
        });
    }
  });
}

/** How long it took to ask for all, and how often the event loop stood still for 200 ms meanwhile, is told too. */
async function stream(store: AgentStore, count: number): Promise<ServantAnswer> {
  const appended: Promise<unknown>[] = [];
  let stalls = 0;
  const begun = performance.now();
  let last = begun;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (performance.now() - last > 200) stalls += 1;
      last = performance.now();
      appended.push(store.append(sightingEntry(appended.length, 0)));
      if (appended.length < count) return;
      clearInterval(timer);
      resolve();
    }, 2);
  });
  const askedMs = last - begun;
  return { done: await outcome(Promise.all(appended)), stalls, askedMs };
}
