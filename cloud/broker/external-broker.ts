/** Opens an external broker of any kind. A kind is how its gateways are let in; all speak the same MQTT. */
import { readFileSync } from 'node:fs';
import type { Clock } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import { SettingsError } from '../../shared/settings.js';
import type { BrokerAccounts, GatewayCredentials } from './broker-accounts.js';
import { type BrokerAddress, brokerAddress } from './broker-address.js';
import type { Broker } from './broker.js';
import { createMosquittoAccounts } from './mosquitto-accounts.js';
import { createMqttBroker } from './mqtt-broker.js';

interface AccountsOptions {
  address: BrokerAddress;
  clock: Clock;
  logger: Logger;
}

const ACCOUNTS = {
  mosquitto: createMosquittoAccounts,
} satisfies Record<string, (options: AccountsOptions) => Promise<BrokerAccounts>>;

export interface ExternalBrokerOptions {
  /** MQTT_URL, MQTT_KIND and the file of MQTT_CA. */
  place: { url: string; kind: keyof typeof ACCOUNTS; ca: string | null };
  credentials: GatewayCredentials;
  clock: Clock;
  logger: Logger;
}

/** Connects. Rejects with what to do when the broker cannot be used; @throws SettingsError when the file cannot. */
export async function openExternalBroker(options: ExternalBrokerOptions): Promise<Broker & { ca: string | null }> {
  const { place, credentials, clock, logger } = options;
  const ca = place.ca === null ? null : readAuthority(place.ca);
  const address = brokerAddress(place.url, ca);
  const accounts = await ACCOUNTS[place.kind]({ address, clock, logger });
  try {
    const broker = await createMqttBroker({ address, accounts, credentials, clock, logger });
    return Object.assign(broker, { ca });
  } catch (error) {
    await accounts.close();
    throw error;
  }
}

function readAuthority(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new SettingsError([`MQTT_CA: ${path} cannot be read; allowed: a PEM file`], { cause: error });
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new SettingsError([`MQTT_CA: ${path} holds no certificate; allowed: a PEM file`]);
}
