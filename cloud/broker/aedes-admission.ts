/** Decides which connections the embedded broker accepts. */
import type { AedesOptions, AuthenticateError, Client, ConnectPacket } from 'aedes';
import { gatewayUuidSchema } from '../../shared/ids.js';
import { upTopic } from '../../shared/topics.js';
import { type BrokerState, RETURN_CODE } from './aedes-state.js';
import type { GatewayAuthenticator } from './broker.js';
import type { TerminalDoor } from './terminal-door.js';

/** How much of a client id a log line shows: anybody may send any client id. */
const NAME_LENGTH_MAX = 64;

/** Builds the hooks. They accept a client id that is a uuid and its own user name, with the right password, and a will on its own topic. */
export function admission(
  { logger, newest, revocations, askers, refused, terminals }: BrokerState,
  authenticate: GatewayAuthenticator,
): Required<Pick<AedesOptions, 'preConnect' | 'authenticate'>> {
  const problems = new WeakMap<Client, string>();
  return {
    preConnect(client, packet, answer) {
      const key = terminals.keyOf(packet.clientId);
      const problem = key === null ? connectProblem(packet) : terminalProblem(terminals, key, packet);
      if (problem !== null) problems.set(client, problem);
      askers.set(client, { client_id: packet.clientId.slice(0, NAME_LENGTH_MAX), remote: remoteOf(client) });
      // A later hook refuses it, because a client that is refused here gets no answer at all.
      answer(null, true);
    },
    authenticate(client, username, password, answer) {
      const who = terminals.keyOf(client.id) === null ? 'gateway' : 'terminal';
      const refuse = (returnCode: number, reason: string): void => {
        logger.warn({ ...askers.get(client), reason }, `${who} connection refused`);
        refused.add(client);
        answer(Object.assign(new Error(reason), { returnCode }) as AuthenticateError, false);
      };
      const problem = problems.get(client);
      if (who === 'terminal') {
        if (problem === undefined) answer(null, true);
        else refuse(RETURN_CODE.notAuthorised, problem);
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
      const revocation = revocations.get(client.id);
      authenticate(uuid.data, password.toString('utf8')).then(
        (isAccepted) => {
          if (!isAccepted || revocations.get(client.id) !== revocation)
            return refuse(RETURN_CODE.notAuthorised, 'wrong user name or password');
          newest.set(client.id, client);
          answer(null, true);
        },
        (error: unknown) => {
          logger.error({ err: error, client_id: client.id }, 'gateway password could not be checked');
          refuse(RETURN_CODE.notAuthorised, 'the password could not be checked');
        },
      );
    },
  };
}

function remoteOf({ conn }: Client): string | undefined {
  return 'remoteAddress' in conn && typeof conn.remoteAddress === 'string' ? conn.remoteAddress : undefined;
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
