/**
 * Driver: the gateways' accounts at Mosquitto, kept by its dynamic-security plugin. Each gateway has a client of its name and a role with
 * its topics; all else is denied. Accounts of other names are the operator's, and left alone.
 */
import { z } from 'zod';
import type { Clock } from '../../../shared/clock.js';
import { type GatewayUuid, gatewayUuidSchema } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { hashToken } from '../../kernel/secrets/entry.js';
import type { BrokerAccounts, GatewayCredential } from './broker-accounts.js';
import { type BrokerAddress, BrokerError, brokerError } from './broker-address.js';
import {
  type MosquittoCommand,
  type MosquittoControl,
  MosquittoRefusal,
  NoMosquittoAnswerError,
  openMosquittoControl,
} from './mosquitto-control.js';
import { CLOUD_ROLE, cloudAcls, DEFAULT_ACCESS, gatewayAcls, gatewayOfRole, gatewayRole } from './mosquitto-roles.js';

const NO_PLUGIN =
  'its dynamic-security plugin does not answer. Load the plugin, and name its administrator in MQTT_URL (cloud/equipment/broker/README.md)';
const NO_USER =
  'MQTT_URL names no user. Name the administrator of its dynamic-security plugin (cloud/equipment/broker/README.md)';

const SET_UP_TRIES = 3;

/** The plugin's answers, as far as they are looked at. */
const accessSchema = z.object({ acls: z.array(z.object({ acltype: z.string(), allow: z.boolean() })) });
const roleNamesSchema = z.array(z.object({ rolename: z.string() }));
const clientSchema = z.object({
  username: z.string(),
  clientid: z.string().optional(),
  textname: z.string().optional(),
  disabled: z.boolean().optional(),
  roles: roleNamesSchema.default([]),
});
type Client = z.infer<typeof clientSchema>;
const oneClientSchema = z.object({ client: clientSchema });
const clientsSchema = z.object({ clients: z.array(clientSchema) });
const aclSchema = z.object({ acltype: z.string(), topic: z.string(), allow: z.boolean() });
type Acl = z.infer<typeof aclSchema>;
const roleSchema = z.object({ rolename: z.string(), acls: z.array(aclSchema) });
const oneRoleSchema = z.object({ role: roleSchema });
const rolesSchema = z.object({ roles: z.array(roleSchema) });

export interface MosquittoAccountsOptions {
  address: BrokerAddress;
  clock: Clock;
  logger: Logger;
  answerWaitMs?: number;
}

/** Connects, and gives the cloud's own account what it needs. Rejects with what to do when the broker cannot be used. */
export async function createMosquittoAccounts(options: MosquittoAccountsOptions): Promise<BrokerAccounts> {
  const { address, logger } = options;
  const ownName = decodeURIComponent(new URL(address.url).username);
  if (ownName === '') throw brokerError(address, new Error(NO_USER));
  const control = await openReadyControl(options, ownName).catch((error: unknown) => {
    if (error instanceof NoMosquittoAnswerError) throw brokerError(address, new Error(NO_PLUGIN));
    throw error instanceof BrokerError ? error : brokerError(address, error);
  });

  const grant = async (credential: GatewayCredential) => {
    await putRole(control, gatewayRole(credential.uuid), gatewayAcls(credential.uuid));
    await putClient(control, credential);
  };
  async function revoke(uuid: GatewayUuid): Promise<void> {
    await runUnless(control, 'Client not found', { command: 'deleteClient', username: uuid });
    await runUnless(control, 'Role not found', { command: 'deleteRole', rolename: gatewayRole(uuid) });
  }

  return {
    passwordFor: ({ password }) => password,
    grant,
    revoke,
    async kick(uuid) {
      // The plugin has no such command, but it ends the connection of a client that it changes.
      await runUnless(control, 'Client not found', { command: 'modifyClient', username: uuid, clientid: uuid });
    },
    async reconcile(credentials) {
      await denyByDefault(control);
      if (!(await allowCloud(control, ownName)))
        throw new Error('the own account was changed: the connection is made anew');
      const clients = await listClients(control);
      const { roles } = await runFor(rolesSchema, control, { command: 'listRoles', verbose: true });
      const rights = new Map(roles.map(({ rolename, acls }) => [rolename, rightsOf(acls)]));
      const wanted = new Map((await credentials.list()).map((each) => [each.uuid as string, each]));
      const missing = [...wanted.values()].filter((each) => {
        const client = clients.get(each.uuid);
        if (client === undefined || !isGranted(client, each)) return true;
        return rights.get(gatewayRole(each.uuid)) !== rightsOf(gatewayAcls(each.uuid));
      });
      const named = [...clients.keys(), ...[...rights.keys()].map(gatewayOfRole)];
      const tooMany = new Set(named.filter((name) => name !== null && !wanted.has(name)));
      for (const name of tooMany) {
        const uuid = gatewayUuidSchema.safeParse(name);
        if (uuid.success) await revoke(uuid.data);
      }
      for (const credential of missing) await grant(credential);
      if (missing.length === 0) return;
      logger.info({ gateways: missing.length }, 'gateways let in at the broker');
      const now = new Map((await credentials.list()).map((each) => [each.uuid, each]));
      for (const { uuid, password } of missing) {
        const credential = now.get(uuid);
        if (credential === undefined) await revoke(uuid);
        else if (credential.password !== password) await grant(credential);
      }
    },
    close: () => control.close(),
  };
}

/** Opens the connection, and again when it ended because its own account was changed. */
async function openReadyControl(options: MosquittoAccountsOptions, ownName: string): Promise<MosquittoControl> {
  for (let tries = 1; tries <= SET_UP_TRIES; tries++) {
    const control = await openMosquittoControl(options);
    try {
      await denyByDefault(control);
      if (await allowCloud(control, ownName)) return control;
    } catch (error) {
      await control.close();
      throw error;
    }
    await control.close();
  }
  throw new Error(`the user of MQTT_URL cannot be given the role ${CLOUD_ROLE}`);
}

async function denyByDefault(control: MosquittoControl): Promise<void> {
  const { acls } = await runFor(accessSchema, control, { command: 'getDefaultACLAccess' });
  const isDenied = DEFAULT_ACCESS.every(({ acltype, allow }) =>
    acls.some((each) => each.acltype === acltype && each.allow === allow),
  );
  if (!isDenied) await control.run({ command: 'setDefaultACLAccess', acls: DEFAULT_ACCESS });
}

/**
 * Gives the cloud's own account the role for the gateways' topics: the plugin's administrator may change accounts, but not use topics.
 * @returns false when the role was given only now: the plugin then cuts off the account, and with it this connection
 */
async function allowCloud(control: MosquittoControl, ownName: string): Promise<boolean> {
  await putRole(control, CLOUD_ROLE, cloudAcls);
  const { client } = await runFor(oneClientSchema, control, { command: 'getClient', username: ownName });
  if (hasRole(client, CLOUD_ROLE)) return true;
  const added = control.run({ command: 'addClientRole', username: ownName, rolename: CLOUD_ROLE });
  await added.catch((error: unknown) => {
    if (error instanceof MosquittoRefusal) throw error;
  });
  return false;
}

/** Makes a role, or gives the one that is there these rights. */
async function putRole(control: MosquittoControl, rolename: string, acls: readonly Acl[]): Promise<void> {
  const hasMade = await runUnless(control, 'Role already exists', { command: 'createRole', rolename, acls });
  if (hasMade) return;
  const { role } = await runFor(oneRoleSchema, control, { command: 'getRole', rolename });
  if (rightsOf(role.acls) !== rightsOf(acls)) await control.run({ command: 'modifyRole', rolename, acls });
}

/** The same text for the same rights, in whatever order. */
const rightsOf = (acls: readonly Acl[]): string =>
  acls
    .map(({ acltype, topic, allow }) => `${acltype} ${topic} ${allow}`)
    .toSorted()
    .join('\n');

async function putClient(control: MosquittoControl, credential: GatewayCredential): Promise<void> {
  const { uuid, password } = credential;
  const client = {
    username: uuid,
    password,
    clientid: uuid,
    textname: nameOf(credential),
    roles: [{ rolename: gatewayRole(uuid) }],
  };
  if (await runUnless(control, 'Client already exists', { command: 'createClient', ...client })) return;
  const { client: held } = await runFor(oneClientSchema, control, { command: 'getClient', username: uuid });
  if (isGranted(held, credential)) return;
  await control.run({ command: 'modifyClient', ...client });
  if (held.disabled === true) await control.run({ command: 'enableClient', username: uuid });
}

/** The plugin does not show passwords. So the client's text name holds a part of the password's hash, which the database has too. */
const nameOf = ({ password }: GatewayCredential): string => `gateway ${hashToken(password).slice(0, 16)}`;

function isGranted(client: Client, credential: GatewayCredential): boolean {
  const { uuid } = credential;
  if (client.disabled === true || client.clientid !== uuid || client.textname !== nameOf(credential)) return false;
  return hasRole(client, gatewayRole(uuid));
}

const hasRole = ({ roles }: Client, rolename: string): boolean => roles.some((role) => role.rolename === rolename);

/** The accounts that are of gateways. */
async function listClients(control: MosquittoControl): Promise<Map<string, Client>> {
  const { clients } = await runFor(clientsSchema, control, { command: 'listClients', verbose: true });
  return new Map(
    clients
      .filter(({ username }) => gatewayUuidSchema.safeParse(username).success)
      .map((client) => [client.username, client]),
  );
}

async function runFor<Data>(schema: z.ZodType<Data>, control: MosquittoControl, command: MosquittoCommand) {
  return schema.parse(await control.run(command));
}

/** @returns false when the plugin refuses the command for this reason */
async function runUnless(control: MosquittoControl, reason: string, command: MosquittoCommand): Promise<boolean> {
  try {
    await control.run(command);
    return true;
  } catch (error) {
    if (error instanceof MosquittoRefusal && error.reason === reason) return false;
    throw error;
  }
}
