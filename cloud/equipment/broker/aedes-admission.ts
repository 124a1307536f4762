/** Decides which connections the embedded broker accepts. */
import type { AedesOptions, AuthenticateError, Client, ConnectPacket } from 'aedes';
import { addressShareKey } from '../../../shared/address-shares.js';
import { QueueFullError } from '../../../shared/fair-queue.js';
import { type GatewayUuid, gatewayUuidSchema } from '../../../shared/ids.js';
import { upTopic } from '../../../shared/topics.js';
import { closeClient } from './aedes-connections.js';
import { type BrokerState, namesOf, RETURN_CODE, SHOWN_LENGTH_MAX } from './aedes-state.js';
import type { GatewayAuthenticator, IsTerminalRegistered } from './broker.js';
import type { TerminalDoor } from './terminal-door.js';

/**
 * Builds the hooks. They accept a client id that is a uuid and its own user name, with the right password, and a will on its own topic.
 * Everybody gets a turn, as a bound on wrong passwords would shut out the gateways behind the same address.
 */
export function admission(
  state: BrokerState,
  {
    authenticate,
    isTerminalRegistered,
  }: { authenticate: GatewayAuthenticator; isTerminalRegistered: IsTerminalRegistered },
): Required<Pick<AedesOptions, 'preConnect' | 'authenticate'>> {
  const { outsiders, newest, revocations, peers, refused, terminals, strangers, newTerminals, checks, inbox } = state;
  const problems = new WeakMap<Client, string>();

  /**
   * Whether it may stay, by its password alone; a problem of its CONNECT packet was looked at before. It is asked when its turn has come.
   * @returns null: it may not; else whether it still may, as it may be revoked while it waits
   */
  async function isGateway(uuid: GatewayUuid, password: string): Promise<(() => boolean) | null> {
    const revocation = revocations.get(uuid);
    const isStill = () => revocations.get(uuid) === revocation;
    return (await authenticate(uuid, password)) && isStill() ? isStill : null;
  }
  /** Nothing is read of a gateway of which so much waits that no more is taken: it would send the next large message by a new connection. */
  async function untilRoom(uuid: GatewayUuid, client: Client): Promise<void> {
    const room = inbox.untilRoom(uuid);
    if (room === null) return;
    const reading = peers.get(client)?.reading;
    reading?.close();
    await room;
    reading?.resume();
  }
  async function seatTerminal(client: Client, key: string): Promise<void> {
    const peer = peers.get(client);
    if (await isTerminalRegistered(key)) {
      peer?.proved();
      return;
    }
    const gone = newTerminals.enter(client, addressShareKey(peer?.remote ?? ''));
    if (gone !== null) await closeClient(gone);
  }

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
      const peer = peers.get(client);
      const log = outsiders.from(peer?.remote);
      const refuse = (returnCode: number, reason: string): void => {
        log.warn({ ...namesOf(peer), reason }, `${key === null ? 'gateway' : 'terminal'} connection refused`);
        refused.add(client);
        answer(Object.assign(new Error(reason), { returnCode }) as AuthenticateError, false);
      };
      const accept = () => {
        if (peer !== undefined) strangers.leave(peer.socket);
        answer(null, true);
      };
      const check = (work: () => Promise<void>) =>
        checks
          .run(addressShareKey(peer?.remote ?? ''), async () => {
            if (!client.closed) await work();
          })
          .catch((error: unknown) => {
            if (error instanceof QueueFullError) return refuse(RETURN_CODE.unavailable, error.message);
            log.error({ err: error, ...namesOf(peer) }, 'a password could not be checked');
            refuse(RETURN_CODE.notAuthorised, 'the password could not be checked');
          });
      const problem = problems.get(client);
      if (key !== null) {
        if (problem !== undefined) return refuse(RETURN_CODE.notAuthorised, problem);
        void check(() => seatTerminal(client, key).then(accept));
        return;
      }
      const uuid = gatewayUuidSchema.safeParse(client.id);
      if (problem !== undefined || !uuid.success) {
        refuse(RETURN_CODE.identifierRejected, problem ?? 'the client id is no gateway uuid');
        return;
      }
      if (username !== client.id || password === undefined) {
        refuse(RETURN_CODE.badCredentials, 'the user name is not the client id, or there is no password');
        return;
      }
      let isStillRight: (() => boolean) | null = null;
      void check(async () => {
        isStillRight = await isGateway(uuid.data, password.toString('utf8'));
        if (isStillRight === null) return refuse(RETURN_CODE.notAuthorised, 'wrong user name or password');
        peer?.proved();
      }).then(async () => {
        if (isStillRight === null) return;
        await untilRoom(uuid.data, client);
        if (client.closed) return;
        if (!isStillRight()) return refuse(RETURN_CODE.notAuthorised, 'revoked while it waited');
        newest.set(client.id, client);
        accept();
      });
    },
  };
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
