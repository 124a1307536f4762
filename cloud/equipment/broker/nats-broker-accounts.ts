/**
 * Driver: lets gateways into a NATS cluster by signed tokens. The cluster keeps no list of gateways, only a list of void tokens. The
 * servers report every gateway that connects; this process compares its token with the database, and makes a token void that is not the
 * gateway's present one.
 */
import { z } from 'zod';
import type { Clock, Timer } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { createMutex } from '../../../shared/flow/mutex.js';
import type { Logger } from '../../../shared/logger.js';
import { hashToken } from '../../kernel/secrets/entry.js';
import type { BrokerAccounts, GatewayCredential, GatewayCredentials } from './broker-accounts.js';
import { gatewayUserId, type NatsKeys } from './nats-keys.js';
import { type NatsLink, openNatsLink } from './nats-link.js';
import { accountToken, gatewayToken, readAccountToken, readGatewayToken, systemToken } from './nats-tokens.js';
import { parseJson } from '../../../shared/json-text-codec.js';
import { errorText } from '../../../shared/error-text.js';

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

/** Servers answer at once. The limits are for a loaded cluster, and for a server that has just stopped. */
const ANSWER_WAIT_MS = 2_000;
/** How long answers about tokens and about connections are gathered: it is not known how many servers will answer. */
const GATHER_MS = 400;
const GATHER_CONNECTIONS_MS = 1_000;
const SERVERS_MAX = 64;
const CONNECTIONS_A_PAGE = 1024;
const RETRY_MS = 2_000;
/** Above this number of gateways, the whole list is read from the database instead of each gateway. */
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
  const { keys } = options;
  const users = createUsers();
  const checks = createChecks(options, { users, link: () => link });

  const link: NatsLink = await openNatsLink({
    ...options,
    login: { token: systemToken(keys), sign: keys.systemUser.sign },
    subjects: {
      [`$SYS.ACCOUNT.${keys.account.id}.CONNECT`]: (text) => {
        users.note(readGatewayToken(keys, parsed(connectEvent, text)?.client.jwt ?? ''));
        checks.checkSoon();
      },
      // Two processes may change the account at once, and the later change would undo the other. So each looks after its own.
      '$SYS.REQ.CLAIMS.UPDATE': (token) => {
        const account = readAccountToken(keys, token);
        if (account === null) return;
        users.noteRevocations(account.revocations);
        checks.checkSoon();
      },
    },
    onReturn: checks.lookAgain,
  }).catch((error: unknown) => {
    const reason = errorText(error);
    throw new Error(`NATS does not let this cloud in (${reason}): ${LET_IN_HINT}`, { cause: error });
  });

  return {
    passwordFor: (credential) => gatewayToken(keys, credential),
    async grant(credential) {
      const userId = userIdOf(credential);
      users.recheckGateway(credential.uuid, { except: userId });
      if (users.madeVoid.has(userId)) await checks.makeValid([userId]);
      await checks.check();
    },
    async revoke(uuid) {
      users.recheckGateway(uuid);
      await checks.check();
    },
    // Servers of 2.9 know no such order. A gateway that floods is held back by its own connection.
    kick: () => Promise.resolve(),
    reconcile: (listed) => checks.reconcile(listed),
    async close() {
      checks.stop();
      await link.close();
      await checks.idle();
    },
  };
}

const userIdOf = ({ password }: GatewayCredential) => gatewayUserId(hashToken(password));

/** The users of gateways' tokens that this process knows. */
function createUsers() {
  /** Users whose tokens were seen on a connection, each with its gateway. */
  const seen = new Map<string, GatewayUuid>();
  /** Those of which the database has still to be asked. */
  const unchecked = new Set<string>();
  /** Those whose tokens this process made void. */
  const madeVoid = new Set<string>();
  return {
    unchecked,
    madeVoid,
    gatewayOf: (userId: string) => seen.get(userId),
    /** Notes a token that was seen; null: it is not a gateway's. */
    note(found: { uuid: GatewayUuid; userId: string } | null): void {
      if (found === null) return;
      seen.set(found.userId, found.uuid);
      unchecked.add(found.userId);
    },
    /** Has users checked again that this process made void, but that are not void by the account's present token. */
    noteRevocations(revocations: Readonly<Record<string, number>>): void {
      for (const userId of madeVoid) if (revocations[userId] === undefined) unchecked.add(userId);
    },
    /** Has the users of a gateway checked again. */
    recheckGateway(uuid: GatewayUuid, { except }: { except?: string } = {}): void {
      for (const [userId, holder] of seen) if (holder === uuid && userId !== except) unchecked.add(userId);
    },
  };
}

/** Checks users against the database, and keeps void the tokens of those that it does not have. All of it is done one after the other. */
function createChecks(
  { keys, credentials, clock, logger }: NatsAccountsOptions,
  { users, link }: { users: ReturnType<typeof createUsers>; link: () => NatsLink },
) {
  const { unchecked, madeVoid } = users;
  const turns = createMutex<'account'>();
  let isStopped = false;
  let retry: Timer | undefined;

  const inTurn = <T>(work: () => Promise<T>) => turns.run('account', work);

  function lookAgain(): void {
    inTurn(checkConnections).catch(tryAgainSoon);
  }
  function tryAgainSoon(error: unknown): void {
    if (isStopped) return;
    logger.warn({ err: error }, 'gateways at NATS could not be checked: it is tried again');
    retry?.cancel();
    retry = clock.setTimer(RETRY_MS, lookAgain);
  }

  /** Asks the database about all that is unchecked, and makes void what is not a gateway's present token. */
  async function checkNow(): Promise<void> {
    const userIds = [...unchecked];
    if (userIds.length === 0 || isStopped) return;
    unchecked.clear();
    try {
      const uuids = new Set(userIds.flatMap((userId) => users.gatewayOf(userId) ?? []));
      const present = new Set((await findEach(credentials, uuids)).map(userIdOf));
      const gone = userIds.filter((userId) => !present.has(userId));
      if (gone.length === 0) return;
      await changeVoid({ add: gone, remove: [] });
      logger.info({ gateways: gone.map(users.gatewayOf) }, 'cut off at NATS');
    } catch (error) {
      for (const userId of userIds) unchecked.add(userId);
      throw error;
    }
  }
  /** Notes who is connected now, to every server, and checks it. */
  async function checkConnections(): Promise<void> {
    for await (const token of connectedTokens(link(), keys)) users.note(readGatewayToken(keys, token));
    await checkNow();
  }
  async function changeVoid({ add, remove }: VoidChange): Promise<void> {
    for (const userId of add) madeVoid.add(userId);
    for (const userId of remove) madeVoid.delete(userId);
    await changeAccount({ link: link(), keys, clock }, { add, remove });
  }

  return {
    check: () => inTurn(checkNow),
    /** Checks in the background, again after a failure. */
    checkSoon(): void {
      if (unchecked.size > 0) inTurn(checkNow).catch(tryAgainSoon);
    },
    lookAgain,
    makeValid: (userIds: readonly string[]) => inTurn(() => changeVoid({ add: [], remove: userIds })),
    reconcile: (listed: Pick<GatewayCredentials, 'list'>) =>
      inTurn(async () => {
        await checkConnections();
        await changeVoid({ add: [], remove: (await listed.list()).map(userIdOf) });
      }),
    stop(): void {
      isStopped = true;
      retry?.cancel();
    },
    idle: turns.idle,
  };
}

/** null: the text is not of this shape. */
const parsed = <T>(schema: z.ZodType<T>, text: string): T | null => schema.safeParse(parseJson(text)).data ?? null;

async function findEach(from: GatewayCredentials, uuids: ReadonlySet<GatewayUuid>): Promise<GatewayCredential[]> {
  if (uuids.size > ONE_BY_ONE_MAX) return from.list();
  const found = await Promise.all([...uuids].map((uuid) => from.find(uuid)));
  return found.filter((credential) => credential !== null);
}

/** The users whose tokens become void, and those whose tokens become valid again. */
interface VoidChange {
  add: readonly string[];
  remove: readonly string[];
}

/** Gives the servers a new account token, unless all of them hold the same content already. @throws when no server accepts it */
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
