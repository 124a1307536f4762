/** Opens an external broker of any kind. Kinds differ in how gateways are let in; all speak the same MQTT. */
import type { Registry } from 'prom-client';
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { readAuthority, type Secrets } from '../../kernel/secrets/entry.js';
import type { BrokerAccounts, GatewayCredentials } from './broker-accounts.js';
import { type BrokerAddress, brokerAddress } from './broker-address.js';
import type { BrokerKind, ExternalBrokerPlace } from './broker-kinds.js';
import type { Broker } from './broker.js';
import { createMosquittoAccounts } from './mosquitto-accounts.js';
import { createMqttBroker } from './mqtt-broker.js';
import { createNatsBrokerAccounts } from './nats-broker-accounts.js';
import { createNatsKeys } from './nats-keys.js';
import { cloudToken } from './nats-tokens.js';

interface AccountsOptions {
  address: BrokerAddress;
  /** MQTT_ADMIN_URL; empty where the kind needs none. */
  adminUrl: string;
  derive: Secrets['derive'];
  credentials: GatewayCredentials;
  clock: Clock;
  logger: Logger;
}

interface Kind {
  openAccounts(options: AccountsOptions): Promise<BrokerAccounts>;
  /** The cloud's own user and password; null: they stand in MQTT_URL. */
  loginOf(derive: Secrets['derive']): { username: string; password: string } | null;
}

const KINDS: Readonly<Record<BrokerKind, Kind>> = {
  mosquitto: { openAccounts: createMosquittoAccounts, loginOf: () => null },
  nats: {
    openAccounts: ({ address: { ca }, adminUrl, derive, ...options }) =>
      createNatsBrokerAccounts({ ...options, ca, urls: adminUrl.split(','), keys: createNatsKeys(derive) }),
    loginOf: (derive) => ({ username: 'parking-cloud', password: cloudToken(createNatsKeys(derive)) }),
  },
};

export interface ExternalBrokerOptions {
  place: ExternalBrokerPlace;
  derive: Secrets['derive'];
  credentials: GatewayCredentials;
  clock: Clock;
  logger: Logger;
  /** Left out: it is not measured. */
  registry?: Registry;
}

/** Connects. Rejects with what to do when the broker cannot be used; @throws SettingsError when the file cannot. */
export async function openExternalBroker(options: ExternalBrokerOptions): Promise<Broker & { ca: string | null }> {
  const { place, derive, credentials, clock, logger, registry } = options;
  const ca = place.ca === null ? null : readAuthority({ setting: 'MQTT_CA', path: place.ca });
  const kind = KINDS[place.kind];
  const address = brokerAddress(urlWith(place.url, kind.loginOf(derive)), ca);
  const adminUrl = place.adminUrl ?? '';
  const accounts = await kind.openAccounts({ address, adminUrl, derive, credentials, clock, logger });
  try {
    const broker = await createMqttBroker({ address, accounts, credentials, clock, logger, registry });
    return Object.assign(broker, { ca });
  } catch (error) {
    await accounts.close();
    throw error;
  }
}

function urlWith(url: string, login: { username: string; password: string } | null): string {
  if (login === null) return url;
  const { protocol, host } = new URL(url);
  return `${protocol}//${login.username}:${login.password}@${host}`;
}
