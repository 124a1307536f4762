/** The connection on which a process hears what others tell (LISTEN). When it is lost, or the server is another one, it is opened again. */
import { Client } from 'pg';
import type { Clock, Timer } from '../../../../shared/clock.js';
import type { Logger } from '../../../../shared/logger.js';
import { toStoreError } from './postgres-errors.js';
import { clientConfig } from './postgres-pool.js';
import type { ServerWatch } from './server-watch.js';

const RETRY_MS = 1_000;
/** A host that lets in and then says nothing is given up. */
const LISTEN_MS_MAX = 10_000;

export interface Hearing {
  /** Opens no connection any more. */
  stop(): void;
  /** Closes the connection. */
  close(): Promise<void>;
}

interface HearingDeps {
  url: string;
  processId: string;
  clock: Clock;
  logger: Logger;
  server: Pick<ServerWatch, 'admit' | 'isCurrent' | 'onMoved'>;
}

interface Listener {
  channel: string;
  /** Called with the payload of each notice. */
  hear(payload: string | undefined): void;
  /** Called when it hears again after a loss: what was told meanwhile, it has missed. */
  onResumed(): void;
}

/** @throws StoreError when the database cannot be reached, or refuses */
export async function openHearing(deps: HearingDeps, listener: Listener): Promise<Hearing> {
  const { clock, logger, server } = deps;
  let client: Client | null = null;
  let listenAgain: Timer | undefined;
  let lockAgain: Timer | undefined;
  let isStopped = false;

  async function listen(): Promise<void> {
    const { client: listening, isLocked } = await openListening(deps, listener);
    client = listening;
    listening.once('end', () => void (client === listening && giveUp()));
    if (!isLocked) lockLater(listening);
    // The server may have become another one since it was asked.
    giveUpOld();
  }

  function giveUp(): void {
    client = null;
    logger.warn({}, 'The connection that hears of other processes is lost: it is opened again');
    listenLater();
  }

  /** A connection to the server of before hears nothing, and its lock says nothing to anybody. */
  function giveUpOld(): void {
    const old = client;
    if (old === null || server.isCurrent(old)) return;
    giveUp();
    void old.end().catch(() => {});
  }

  /** Until the server notices that the connection before this one is gone, that one has the lock. */
  function lockLater(by: Client): void {
    lockAgain = clock.setTimer(RETRY_MS, () => {
      if (client !== by) return;
      lockName(by, deps.processId).then(
        (isLocked) => void (isLocked || lockLater(by)),
        () => lockLater(by),
      );
    });
  }

  function listenLater(): void {
    if (isStopped) return;
    listenAgain = clock.setTimer(RETRY_MS, () => void listen().then(() => listener.onResumed(), listenLater));
  }

  try {
    await listen();
  } catch (error) {
    throw toStoreError(error, 'listen');
  }
  const stopMoving = server.onMoved(giveUpOld);
  return {
    stop() {
      isStopped = true;
      stopMoving();
      listenAgain?.cancel();
      lockAgain?.cancel();
    },
    async close() {
      const last = client;
      client = null;
      await last?.end();
    },
  };
}

/** Opens a connection that hears, and asks for the lock of the process's name. A host that is gone does not tell the end, so that of a failed one is not awaited. */
async function openListening(
  { url, processId, server }: HearingDeps,
  { channel, hear }: Listener,
): Promise<{ client: Client; isLocked: boolean }> {
  const client = new Client(clientConfig({ url, processId, isReadOnly: true, statementMsMax: LISTEN_MS_MAX }));
  client.on('notification', ({ payload }) => hear(payload));
  client.on('error', () => {});
  try {
    await client.connect();
    await server.admit(client);
    await client.query(`listen ${channel}`);
    return { client, isLocked: await lockName(client, processId) };
  } catch (error) {
    void client.end().catch(() => {});
    throw error;
  }
}

/** The others see by the lock that this process is there. @returns whether it has the lock */
async function lockName(by: Client, processId: string): Promise<boolean> {
  const { rows } = await by.query<{ is_locked: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as is_locked',
    [processId],
  );
  return rows[0]?.is_locked === true;
}
