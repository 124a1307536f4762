/** Decides which connections the embedded broker accepts. */
import type { AedesOptions, AuthenticateError, Client, ConnectPacket } from 'aedes';
import { addressNetwork } from '../../../shared/address-seats.js';
import { QueueFullError } from '../../../shared/flow/semaphore.js';
import { type GatewayUuid, gatewayUuidSchema } from '../../../shared/ids.js';
import { upTopic } from '../../../shared/topics.js';
import { closeClient } from './aedes-connections.js';
import { type BrokerState, namesOf, RETURN_CODE, SHOWN_LENGTH_MAX } from './aedes-state.js';
import type { GatewayAuthenticator, IsTerminalRegistered } from './broker.js';
import type { TerminalDoor } from './terminal-door.js';
import { errorText } from '../../../shared/error-text.js';

interface AdmissionDeps {
  authenticate: GatewayAuthenticator;
  isTerminalRegistered: IsTerminalRegistered;
}

type Authenticate = Required<AedesOptions>['authenticate'];

/**
 * Builds the hooks. They accept a client id that is a uuid and its own user name, with the right password, and a will on its own topic.
 * Wrong passwords are not bounded, only checked in turns: a bound would shut out the gateways behind the same address.
 */
export function admission(
  state: BrokerState,
  deps: AdmissionDeps,
): Required<Pick<AedesOptions, 'preConnect' | 'authenticate'>> {
  const { peers, terminals, strangers } = state;
  const problems = new WeakMap<Client, string>();
  return {
    preConnect(client, packet, answer) {
      const key = terminals.keyOf(packet.clientId);
      const problem = key === null ? connectProblem(packet) : terminalProblem(terminals, key, packet);
      if (problem !== null) problems.set(client, problem);
      const peer = peers.get(client);
      if (peer !== undefined) {
        peer.client_id = packet.clientId.slice(0, SHOWN_LENGTH_MAX);
        strangers.setBusy(peer.socket, true);
      }
      // A later hook refuses it, because a client that is refused here gets no answer at all.
      answer(null, true);
    },
    authenticate(client, username, password, answer) {
      const key = terminals.keyOf(client.id);
      const attempt = createAttempt(state, { client, answer, kind: key === null ? 'gateway' : 'terminal' });
      const problem = problems.get(client);
      if (key === null) return admitGateway(state, attempt, { ...deps, client, problem, username, password });
      if (problem !== undefined) return attempt.refuse(RETURN_CODE.notAuthorised, problem);
      void attempt.check(async () => {
        await seatTerminal(state, client, await deps.isTerminalRegistered(key));
        attempt.accept();
      });
    },
  };
}

/** A connection that waits for the decision whether it is accepted. */
interface Attempt {
  accept(): void;
  refuse(returnCode: number, reason: string): void;
  /** Runs the work when it is the turn of the connection's address, unless the connection is closed. A failure refuses the connection. */
  check(work: () => Promise<void>): Promise<void>;
}

function createAttempt(
  { outsiders, peers, refused, strangers, checks }: BrokerState,
  { client, answer, kind }: { client: Client; answer: Parameters<Authenticate>[3]; kind: 'gateway' | 'terminal' },
): Attempt {
  const peer = peers.get(client);
  const log = outsiders.from(peer?.remote);
  const refuse = (returnCode: number, reason: string): void => {
    log.warn({ ...namesOf(peer), reason }, `${kind} connection refused`);
    refused.add(client);
    answer(Object.assign(new Error(reason), { returnCode }) as AuthenticateError, false);
  };
  return {
    refuse,
    accept() {
      if (peer !== undefined) strangers.leave(peer.socket);
      answer(null, true);
    },
    check: (work) =>
      checks
        .run(addressNetwork(peer?.remote ?? ''), async () => {
          if (!client.closed) await work();
        })
        .catch((error: unknown) => {
          if (error instanceof QueueFullError) return refuse(RETURN_CODE.unavailable, errorText(error));
          log.error({ err: error, ...namesOf(peer) }, 'a password could not be checked');
          refuse(RETURN_CODE.notAuthorised, 'the password could not be checked');
        }),
  };
}

/** Gives a terminal that nobody has registered a place among those that wait for it; the one that has to go for it is closed. */
async function seatTerminal(
  { peers, newTerminals }: BrokerState,
  client: Client,
  isRegistered: boolean,
): Promise<void> {
  const peer = peers.get(client);
  if (isRegistered) return peer?.proved();
  const gone = newTerminals.enter(client, addressNetwork(peer?.remote ?? ''));
  if (gone !== null) await closeClient(gone);
}

function admitGateway(
  state: BrokerState,
  attempt: Attempt,
  shown: Pick<AdmissionDeps, 'authenticate'> & {
    client: Client;
    problem: string | undefined;
    username: string | undefined;
    password: Buffer | undefined;
  },
): void {
  const { revocations, newest, peers } = state;
  const { client, problem, username, password } = shown;
  const uuid = gatewayUuidSchema.safeParse(client.id).data;
  if (problem !== undefined || uuid === undefined)
    return attempt.refuse(RETURN_CODE.identifierRejected, problem ?? 'the client id is no gateway uuid');
  if (username !== client.id || password === undefined)
    return attempt.refuse(RETURN_CODE.badCredentials, 'the user name is not the client id, or there is no password');
  let isRight = false;
  let revocation: number | undefined;
  const isRevoked = () => revocations.get(uuid) !== revocation;
  const check = async () => {
    // It may be revoked while its password is looked up.
    revocation = revocations.get(uuid);
    isRight = (await shown.authenticate(uuid, password.toString('utf8'))) && !isRevoked();
    if (isRight) peers.get(client)?.proved();
    else attempt.refuse(RETURN_CODE.notAuthorised, 'wrong user name or password');
  };
  void attempt.check(check).then(async () => {
    if (!isRight) return;
    await untilRoom(state, uuid, client);
    if (client.closed) return;
    if (isRevoked()) return attempt.refuse(RETURN_CODE.notAuthorised, 'revoked while it waited');
    newest.set(client.id, client);
    attempt.accept();
  });
}

/**
 * Resolves when the inbox accepts messages of the gateway again. Until then nothing is read of the connection: a gateway that floods would
 * send its next large message by each new connection.
 */
async function untilRoom({ inbox, peers }: BrokerState, uuid: GatewayUuid, client: Client): Promise<void> {
  const room = inbox.untilRoom(uuid);
  if (room === null) return;
  const reading = peers.get(client)?.reading;
  reading?.close();
  await room;
  reading?.resume();
}

/** Says why a connection is refused before its password is checked; null: it is not. */
function connectProblem(packet: ConnectPacket): string | null {
  const uuid = gatewayUuidSchema.safeParse(packet.clientId);
  if (!uuid.success) return 'the client id is no gateway uuid';
  if (packet.clean !== true) return 'the session must be clean: nothing is kept for an absent gateway';
  const { will } = packet;
  if (will !== undefined && will.topic !== upTopic(uuid.data, 'presence'))
    return 'the last will is not the own presence';
  return null;
}

function terminalProblem(terminals: TerminalDoor, key: string, packet: ConnectPacket): string | null {
  const { username, password, clean, will } = packet;
  const text = password === undefined ? '' : Buffer.from(password).toString('utf8');
  return terminals.problem(key, { username, password: text, clean: clean === true, hasWill: will !== undefined });
}
