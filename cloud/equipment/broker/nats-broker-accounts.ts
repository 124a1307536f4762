/**
 * Driver: lets gateways into a NATS cluster by signed tokens. The cluster keeps no list of gateways, only of tokens that are void: this
 * process hears of every gateway that connects, asks the database whether its token is still the one, and makes it void when it is not.
 */
import { z } from 'zod';
import type { Clock, Timer } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { hashToken } from '../../kernel/entry.js';
import type { BrokerAccounts, GatewayCredential, GatewayCredentials } from './broker-accounts.js';
import { gatewayUserId, type NatsKeys } from './nats-keys.js';
import { type NatsLink, openNatsLink } from './nats-link.js';
import { accountToken, gatewayToken, readAccountToken, readGatewayToken, systemToken } from './nats-tokens.js';
import { parseJson } from '../../../shared/json-text-codec.js';

export interface NatsAccountsOptions {
  /** Addresses of servers of the cluster: `nats://host:4222` or `tls://host:4222`. */
  urls: readonly string[];
  /** PEM of the authority of the servers' certificates; null: the machine's own list. */
  ca: string | null;
  keys: NatsKeys;
  /** What the database says at the moment of the call. */
  credentials: GatewayCredentials;
  clock: Clock;
  logger: Logger;
}

/** Servers answer at once; these are limits for a loaded cluster, and for a server that just went. */
const ANSWER_WAIT_MS = 2_000;
/** How long is waited for the answers of further servers, of which nobody knows how many there are: of tokens, and of connections. */
const GATHER_MS = 400;
const GATHER_CONNECTIONS_MS = 1_000;
const SERVERS_MAX = 64;
const CONNECTIONS_A_PAGE = 1024;
const RETRY_MS = 2_000;
/** From so many gateways on, all are read at once instead of each by itself. */
const ONE_BY_ONE_MAX = 50;

const LET_IN_HINT =
  'start its servers with the configuration that `parking-cloud broker-config nats` writes (with the server keys of this cloud), and name their addresses in MQTT_ADMIN_URL';

const connectEvent = z.object({ client: z.object({ jwt: z.string() }) });
const connectionsAnswer = z.object({
  server: z.object({ id: z.string() }),
  data: z.object({ total: z.number(), connections: z.array(z.object({ jwt: z.string().optional() })) }),
});
const updateAnswer = z.object({
  data: z.object({ code: z.number() }).optional(),
  error: z.object({ description: z.string() }).optional(),
});

/** @throws when no server of the cluster lets this cloud in, with what to do */
export async function createNatsBrokerAccounts(options: NatsAccountsOptions): Promise<BrokerAccounts> {
  const { keys, credentials, clock, logger } = options;
  const userIdOf = ({ password }: GatewayCredential) => gatewayUserId(hashToken(password));
  /** Tokens that were seen on a connection, or made void, by this process: the user of each with its gateway. */
  const seen = new Map<string, GatewayUuid>();
  /** Those of which the database has still to be asked. */
  const unchecked = new Set<string>();
  /** Those that this process made void. */
  const madeVoid = new Set<string>();
  let isClosed = false;
  let retry: Timer | undefined;

  function note(found: { uuid: GatewayUuid; userId: string } | null): void {
    if (found === null) return;
    seen.set(found.userId, found.uuid);
    unchecked.add(found.userId);
  }

  const link: NatsLink = await openNatsLink({
    ...options,
    login: { token: systemToken(keys), sign: keys.systemUser.sign },
    subjects: {
      [`$SYS.ACCOUNT.${keys.account.id}.CONNECT`]: (text) => {
        note(readGatewayToken(keys, parsed(connectEvent, text)?.client.jwt ?? ''));
        checkSoon();
      },
      // Two processes may change the account at once, and the later change would undo the other. So each looks after its own.
      '$SYS.REQ.CLAIMS.UPDATE': (token) => {
        const account = readAccountToken(keys, token);
        if (account === null) return;
        for (const userId of madeVoid) if (account.revocations[userId] === undefined) unchecked.add(userId);
        checkSoon();
      },
    },
    onReturn: () => lookAgain(),
  }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : '';
    throw new Error(`NATS does not let this cloud in (${reason}): ${LET_IN_HINT}`, { cause: error });
  });

  /** Work on the account is done one after the other. */
  let turn: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  }
  function checkSoon(): void {
    if (unchecked.size > 0) void inTurn(check).catch(tryAgainSoon);
  }
  function lookAgain(): void {
    inTurn(noteConnections).catch(tryAgainSoon);
  }
  function tryAgainSoon(error: unknown): void {
    if (isClosed) return;
    logger.warn({ err: error }, 'gateways at NATS could not be checked: tried again');
    retry?.cancel();
    retry = clock.setTimer(RETRY_MS, lookAgain);
  }

  /** Asks the database about all that is unchecked, and makes void what is not a gateway's present token. */
  async function check(): Promise<void> {
    const userIds = [...unchecked];
    if (userIds.length === 0 || isClosed) return;
    unchecked.clear();
    try {
      const uuids = new Set(userIds.flatMap((userId) => seen.get(userId) ?? []));
      const present = new Set((await findEach(credentials, uuids)).map(userIdOf));
      const gone = userIds.filter((userId) => !present.has(userId));
      if (gone.length === 0) return;
      await changeVoid({ add: gone, remove: [] });
      logger.info({ gateways: gone.map((userId) => seen.get(userId)) }, 'cut off at NATS');
    } catch (error) {
      for (const userId of userIds) unchecked.add(userId);
      throw error;
    }
  }

  /** Notes who is connected now, to every server, and checks it. */
  async function noteConnections(): Promise<void> {
    for await (const token of connectedTokens(link, keys)) note(readGatewayToken(keys, token));
    await check();
  }
  async function changeVoid({ add, remove }: VoidChange): Promise<void> {
    for (const userId of add) madeVoid.add(userId);
    for (const userId of remove) madeVoid.delete(userId);
    await changeAccount({ link, keys, clock }, { add, remove });
  }

  return {
    passwordFor: (credential) => gatewayToken(keys, credential),
    async grant(credential) {
      const userId = userIdOf(credential);
      for (const [earlier, uuid] of seen) if (uuid === credential.uuid && earlier !== userId) unchecked.add(earlier);
      const isVoid = madeVoid.has(userId);
      if (isVoid) await inTurn(() => changeVoid({ add: [], remove: [userId] }));
      await inTurn(check);
    },
    async revoke(uuid) {
      for (const [userId, holder] of seen) if (holder === uuid) unchecked.add(userId);
      await inTurn(check);
    },
    // Servers of 2.9 know no such order. A gateway that floods is held back by its own connection.
    kick: () => Promise.resolve(),
    reconcile: (listed) =>
      inTurn(async () => {
        await noteConnections();
        const present = (await listed.list()).map(userIdOf);
        await changeVoid({ add: [], remove: present });
      }),
    async close() {
      isClosed = true;
      retry?.cancel();
      await link.close();
      await turn;
    },
  };
}

/** null: the text is not of this shape. */
const parsed = <T>(schema: z.ZodType<T>, text: string): T | null => schema.safeParse(parseJson(text)).data ?? null;

async function findEach(from: GatewayCredentials, uuids: ReadonlySet<GatewayUuid>): Promise<GatewayCredential[]> {
  if (uuids.size > ONE_BY_ONE_MAX) return from.list();
  const found = await Promise.all([...uuids].map((uuid) => from.find(uuid)));
  return found.filter((credential) => credential !== null);
}

/** User ids whose tokens become void, and those whose are so no more. */
interface VoidChange {
  add: readonly string[];
  remove: readonly string[];
}

/** Gives the servers a new account token, unless all have what it would say. @throws when none of them accepts it */
async function changeAccount(
  { link, keys, clock }: { link: NatsLink; keys: NatsKeys; clock: Clock },
  { add, remove }: VoidChange,
): Promise<void> {
  const tokens = await link.request(`$SYS.REQ.ACCOUNT.${keys.account.id}.CLAIMS.LOOKUP`, '', {
    answersMax: SERVERS_MAX,
    waitMs: GATHER_MS,
  });
  const held = tokens.flatMap((token) => readAccountToken(keys, token) ?? []);
  const nowS = Math.floor(clock.now() / 1000);
  const revocations = Object.assign({}, ...held.map((each) => each.revocations)) as Record<string, number>;
  for (const userId of add) revocations[userId] ??= nowS;
  for (const userId of remove) delete revocations[userId];
  const newestS = Math.max(0, ...held.map(({ issuedS }) => issuedS));
  const isHeldByAll = tokens.length > 0 && tokens.every((token) => token === accountToken(keys, revocations, newestS));
  if (isHeldByAll) return;
  const token = accountToken(keys, revocations, Math.max(nowS, newestS + 1));
  const answers = await link.request('$SYS.REQ.CLAIMS.UPDATE', token, {
    answersMax: Math.max(1, tokens.length),
    waitMs: ANSWER_WAIT_MS,
  });
  const said = answers.map((answer) => parsed(updateAnswer, answer));
  if (said.some((answer) => answer?.data?.code === 200)) return;
  const reason = said.find((answer) => answer?.error !== undefined)?.error?.description ?? 'no server answered';
  throw new Error(`NATS did not accept the account of the gateways: ${reason}`);
}

/** The tokens of all connections of the gateways' account to all servers. */
async function* connectedTokens(link: NatsLink, keys: NatsKeys): AsyncGenerator<string> {
  const ask = async (subject: string, offset: number, how: { answersMax: number; waitMs: number }) => {
    const question = { auth: true, acc: keys.account.id, limit: CONNECTIONS_A_PAGE, offset };
    const answers = await link.request(subject, JSON.stringify(question), how);
    return answers.flatMap((answer) => parsed(connectionsAnswer, answer) ?? []);
  };
  const firstPages = await ask('$SYS.REQ.SERVER.PING.CONNZ', 0, {
    answersMax: SERVERS_MAX,
    waitMs: GATHER_CONNECTIONS_MS,
  });
  for (const { server, data } of firstPages) {
    for (const { jwt } of data.connections) yield jwt ?? '';
    for (let offset = CONNECTIONS_A_PAGE; offset < data.total; offset += CONNECTIONS_A_PAGE) {
      const [page] = await ask(`$SYS.REQ.SERVER.${server.id}.CONNZ`, offset, {
        answersMax: 1,
        waitMs: ANSWER_WAIT_MS,
      });
      for (const { jwt } of page?.data.connections ?? []) yield jwt ?? '';
    }
  }
}
