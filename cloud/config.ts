/** The settings of the cloud. Nothing else reads its environment; they are parsed once, at the start. */
import { join, resolve } from 'node:path';
import {
  type AnySetting,
  choiceSetting,
  integerSetting,
  serverAddressSetting,
  SettingsError,
  type SettingValues,
  textSetting,
  urlSetting,
} from '../shared/settings.js';
import { isPublicServerAddress, isServerAddress } from '../shared/server-address.js';
import { loadSettings, type SettingsPlaces } from '../shared/node/settings-file.js';
import { AGENT_SETTING_NAMES, type CloudSettingName } from '../shared/setting-names.js';
import { BROKER_KINDS, type BrokerKind, type ExternalBrokerPlace } from './equipment/broker/broker-kinds.js';
import type { TlsPlace } from './kernel/secrets/tls-files.js';
import { createIsProxy } from './rest/server/client-address.js';
import type { MailFrom } from './site/mail/mail-sender.js';
import { absoluteDatabaseUrl, DATABASE_URL_ALLOWED, isDatabaseUrl } from './kernel/store/database-url.js';

const tlsFileSetting = (description: string) => textSetting({ default: null, allowed: 'a PEM file', description });

/** A name and an address, or an address alone: groups 1 and 2, or 3. */
const MAIL_FROM = /^(?:([^<>"@\p{Cc}]*)<([^\s<>"@,;:]+@[^\s<>"@,;:]+)>|([^\s<>"@,;:]+@[^\s<>"@,;:]+))$/u;

export const CLOUD_SETTINGS = {
  HOST: textSetting({
    default: '127.0.0.1',
    pattern: /^[^\s/]+$/,
    allowed: 'an address of this machine, 0.0.0.0 or :: for all',
    description: 'address of the REST and WebSocket listener',
  }),
  PORT: integerSetting({
    default: 8080,
    min: 0,
    max: 65_535,
    description: 'port of the REST and WebSocket listener; 0: any free one',
  }),
  BASE_URL: serverAddressSetting({
    default: null,
    schemes: ['http', 'https'],
    description: 'public address, used in links (default: from HOST and PORT)',
  }),
  DATA_DIR: textSetting({
    default: './.data/cloud',
    allowed: 'a directory',
    description: 'database, server keys and pictures',
  }),
  DATABASE_URL: textSetting({
    default: null,
    isAllowed: isDatabaseUrl,
    allowed: DATABASE_URL_ALLOWED,
    // A database address may hold a password.
    secret: true,
    description: 'database (default: cloud.db in DATA_DIR)',
  }),
  MQTT_URL: textSetting({
    default: null,
    isAllowed: isBrokerUrl,
    allowed: 'an address like mqtts://user:password@broker.example:8883, mqtt:// without TLS',
    // A broker's address may hold a password.
    secret: true,
    description: 'external broker of the gateways; with MQTT_KIND (default: the embedded one)',
  }),
  MQTT_KIND: choiceSetting({
    default: null,
    choices: BROKER_KINDS,
    description: 'what the external broker is: how its gateways are let in',
  }),
  MQTT_ADMIN_URL: textSetting({
    default: null,
    isAllowed: isAdminUrl,
    allowed: 'addresses like nats://nats-1.example:4222 with commas between them',
    // It may hold a password.
    secret: true,
    description: 'where the cloud gives orders to the external broker; with the kind nats',
  }),
  MQTT_CA: tlsFileSetting("authority of the external broker's certificate, which gateways are told at their claim"),
  MQTT_HOST: textSetting({
    default: '127.0.0.1',
    pattern: /^[^\s/]+$/,
    allowed: 'an address of this machine, 0.0.0.0 or :: for all',
    description: "address of the embedded broker's listener; beside an external one terminals alone use it",
  }),
  MQTT_PORT: integerSetting({
    default: 1883,
    min: 0,
    max: 65_535,
    description: "port of the embedded broker's listener; 0: any free one",
  }),
  MQTT_PUBLIC_URL: serverAddressSetting({
    default: null,
    schemes: ['mqtt', 'mqtts'],
    description:
      "broker address for gateways (default: BASE_URL's host and MQTT_PORT; MQTT_URL's with an external broker)",
  }),
  TLS_CERT: tlsFileSetting('certificate of the REST and WebSocket listener, which then speaks TLS; with TLS_KEY'),
  TLS_KEY: tlsFileSetting('key of TLS_CERT'),
  MQTT_TLS_CERT: tlsFileSetting("certificate of the embedded broker's listener, likewise; with MQTT_TLS_KEY"),
  MQTT_TLS_KEY: tlsFileSetting('key of MQTT_TLS_CERT'),
  SMTP_URL: textSetting({
    default: null,
    isAllowed: isSmtpUrl,
    allowed:
      'an address like smtp://user:password@mail.example:587 (TLS when the server offers it), smtps:// for TLS from the beginning',
    // A mail server's address may hold a password.
    secret: true,
    description:
      'mail server that accepts outgoing mails (default: they are written as .eml files into mail in DATA_DIR)',
  }),
  SMTP_CA: tlsFileSetting("authority of the mail server's certificate, if no public one"),
  MAIL_FROM: textSetting({
    default: 'parking@localhost',
    pattern: MAIL_FROM,
    allowed: 'an address like parking@harbour.example, or Harbour Parking <parking@harbour.example>',
    description: 'sender of outgoing mails',
  }),
  LOG_LEVEL: choiceSetting({
    default: 'info',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    description: 'least important lines that are logged',
  }),
  EVENT_RETENTION_HOURS: integerSetting({
    default: 72,
    min: 1,
    max: 8_760,
    description: 'how long events can be fetched again',
  }),
  RATE_REQUESTS_PER_MIN: integerSetting({
    default: 600,
    min: 0,
    max: 1_000_000,
    description: 'requests per token; 0: no limit',
  }),
  RATE_LOGIN_FAILURES_PER_MIN: integerSetting({
    default: 5,
    min: 0,
    max: 100_000,
    description: 'failed logins per email and address; 0: no limit',
  }),
  RATE_PUBLIC_PER_MIN: integerSetting({
    default: 10,
    min: 0,
    max: 100_000,
    description: 'refused claims, weblink requests and picture links per address, operations per weblink; 0: no limit',
  }),
  USER_TOKEN_DAYS: integerSetting({
    default: 30,
    min: 1,
    max: 3_650,
    description: 'life of a user token after its last use, in days',
  }),
  TRUSTED_PROXIES: textSetting({
    default: '',
    isAllowed: areProxies,
    allowed: 'addresses and networks like 192.0.2.7, 10.0.0.0/8, fd00::/8, with commas between them',
    description: 'proxies in front of the service, whose X-Forwarded-For is believed',
  }),
  CORS_ORIGINS: textSetting({
    default: '',
    isAllowed: (text) => partsOf(text).every((origin) => isPublicServerAddress(origin, ['http', 'https'])),
    allowed: 'origins like https://console.example (no path), with commas between them',
    description: 'pages of other origins that may use the service from a browser',
  }),
  WEBHOOK_ALLOW_PRIVATE: choiceSetting({
    default: 'false',
    choices: ['false', 'true'],
    description: 'whether webhooks may go to loopback, link-local and private addresses',
  }),
  METRICS_PUBLIC: choiceSetting({
    default: 'false',
    choices: ['false', 'true'],
    description: 'true: /metrics answers everybody, not this machine alone',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: urlSetting({
    default: null,
    schemes: ['http', 'https'],
    description: 'OpenTelemetry collector to which traces of plate reads are sent (OTLP over HTTP); unset: none are',
  }),
  PRODUCT_SEEN_WITHIN_MS: integerSetting({
    default: 120_000,
    min: 1_000,
    max: 86_400_000,
    description: 'what "recently seen" means',
  }),
  PRODUCT_MIN_RSSI: integerSetting({
    default: -95,
    min: -127,
    max: 20,
    description: 'weakest signal (dBm) that counts as seen',
  }),
  GATEWAY_WAIT_MS: integerSetting({
    default: 30_000,
    min: 1_000,
    max: 600_000,
    description: 'how long a command waits for each gateway',
  }),
  RATE_COMMANDS_PER_MIN: integerSetting({
    default: 15,
    min: 0,
    max: 100_000,
    description: 'commands per product, opening ones aside; 0: no limit',
  }),
  TERMINAL_WAIT_MS: integerSetting({
    default: 10_000,
    min: 100,
    max: 600_000,
    description: 'how long a terminal may take to confirm its registration',
  }),
  TOKEN_EXPIRY_CHECK_MS: integerSetting({
    default: 3_600_000,
    min: 1_000,
    max: 86_400_000,
    description: 'how often keys are looked at whose time may be over',
  }),
  STOP_DELAY_MS: integerSetting({
    default: 0,
    min: 0,
    max: 600_000,
    description:
      'how long the service goes on after SIGTERM while /readyz says that it stops: a load balancer needs it',
  }),
  SERVER_KEY: textSetting({
    default: null,
    pattern: /^[0-9a-fA-F]{64}$/,
    allowed: '64 hex digits',
    secret: true,
    description: 'key that seals secrets at rest (default: made at the first start, server-keys.json in DATA_DIR)',
  }),
} as const satisfies Record<CloudSettingName, AnySetting>;

export type CloudConfig = ReturnType<typeof configOf>;

/**
 * Reads the settings. Flags override the environment, which overrides the file: the one that is named, or else an `.env` in the
 * working directory.
 * @param given.flags options by name (`dataDir`); names that are not settings are ignored
 * @throws SettingsError (exit code 2)
 */
export function loadCloudConfig(places: SettingsPlaces): CloudConfig {
  const values = loadSettings(CLOUD_SETTINGS, places, AGENT_SETTING_NAMES);
  if (values.PORT !== 0 && values.PORT === values.MQTT_PORT && values.HOST === values.MQTT_HOST) {
    throw new SettingsError([`MQTT_PORT: ${values.MQTT_PORT} is PORT's too; allowed: a port of its own`]);
  }
  return configOf(values);
}

/** @throws SettingsError when settings do not fit each other */
function configOf(values: SettingValues<typeof CLOUD_SETTINGS>) {
  const dataDir = resolve(values.DATA_DIR);
  return {
    host: values.HOST,
    port: values.PORT,
    /** null: from the listener (`publicAddresses`). */
    baseUrl: values.BASE_URL,
    dataDir,
    /** `sqlite:PATH`, PATH absolute, or `postgres://...`. */
    databaseUrl: absoluteDatabaseUrl(values.DATABASE_URL ?? `sqlite:${join(dataDir, 'cloud.db')}`),
    mqttHost: values.MQTT_HOST,
    mqttPort: values.MQTT_PORT,
    /** null: the embedded one. */
    externalBroker: externalBrokerPlace(values),
    /** null: from the broker's address (`publicAddresses`). */
    mqttPublicUrl: values.MQTT_PUBLIC_URL,
    /** null: the listener speaks without TLS. */
    tls: tlsPlace(values, 'TLS_CERT', 'TLS_KEY'),
    mqttTls: tlsPlace(values, 'MQTT_TLS_CERT', 'MQTT_TLS_KEY'),
    /** null: mails are written as files. */
    smtp: smtpPlace(values),
    mailFrom: mailFromOf(values.MAIL_FROM),
    logLevel: values.LOG_LEVEL,
    eventRetentionHours: values.EVENT_RETENTION_HOURS,
    rateRequestsPerMin: values.RATE_REQUESTS_PER_MIN,
    rateLoginFailuresPerMin: values.RATE_LOGIN_FAILURES_PER_MIN,
    ratePublicPerMin: values.RATE_PUBLIC_PER_MIN,
    userTokenDays: values.USER_TOKEN_DAYS,
    /** Addresses and networks. */
    trustedProxies: partsOf(values.TRUSTED_PROXIES),
    /** As browsers write them. */
    corsOrigins: originsOf(values.CORS_ORIGINS),
    metricsPublic: values.METRICS_PUBLIC === 'true',
    otlpEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    webhookAllowPrivate: values.WEBHOOK_ALLOW_PRIVATE === 'true',
    productSeenWithinMs: values.PRODUCT_SEEN_WITHIN_MS,
    productMinRssi: values.PRODUCT_MIN_RSSI,
    gatewayWaitMs: values.GATEWAY_WAIT_MS,
    rateCommandsPerMin: values.RATE_COMMANDS_PER_MIN,
    terminalWaitMs: values.TERMINAL_WAIT_MS,
    tokenExpiryCheckMs: values.TOKEN_EXPIRY_CHECK_MS,
    stopDelayMs: values.STOP_DELAY_MS,
    /** Hex; null: kept in DATA_DIR. */
    serverKey: values.SERVER_KEY,
  };
}

/** @throws SettingsError when only one of the two is set */
function tlsPlace<Name extends string>(values: Record<Name, string | null>, cert: Name, key: Name): TlsPlace | null {
  const [certPath, keyPath] = [values[cert], values[key]];
  if (certPath === null && keyPath === null) return null;
  if (certPath === null) throw new SettingsError([`${cert}: missing beside ${key}; allowed: both, or neither`]);
  if (keyPath === null) throw new SettingsError([`${key}: missing beside ${cert}; allowed: both, or neither`]);
  return { cert: { setting: cert, path: resolve(certPath) }, key: { setting: key, path: resolve(keyPath) } };
}

/** @throws SettingsError when one is set that needs another */
function externalBrokerPlace(values: SettingValues<typeof CLOUD_SETTINGS>): ExternalBrokerPlace | null {
  const { MQTT_URL: url, MQTT_KIND: kind, MQTT_ADMIN_URL: adminUrl, MQTT_CA: ca } = values;
  const lone = (['MQTT_KIND', 'MQTT_ADMIN_URL', 'MQTT_CA'] as const).find((name) => values[name] !== null) ?? null;
  if (url === null) {
    if (lone !== null) throw new SettingsError([`MQTT_URL: missing beside ${lone}; allowed: both, or neither`]);
    return null;
  }
  if (kind === null) {
    throw new SettingsError([`MQTT_KIND: missing beside MQTT_URL; allowed: ${BROKER_KINDS.join(', ')}`]);
  }
  checkAdminUrl(kind, { url, adminUrl });
  return { url, kind, adminUrl: adminUrl?.replace(/\/$/, '') ?? null, ca: ca === null ? null : resolve(ca) };
}

/**
 * @returns `ca` is the file of the authority of the server's certificate; null: one that this machine trusts
 * @throws SettingsError when there is an authority for no server
 */
function smtpPlace({ SMTP_URL: url, SMTP_CA: ca }: Pick<SettingValues<typeof CLOUD_SETTINGS>, 'SMTP_URL' | 'SMTP_CA'>) {
  if (url !== null) return { url, ca: ca === null ? null : resolve(ca) };
  if (ca !== null) throw new SettingsError(['SMTP_URL: missing beside SMTP_CA; allowed: both, or neither']);
  return null;
}

function mailFromOf(text: string): MailFrom {
  const [, name = '', address, alone = ''] = MAIL_FROM.exec(text) ?? [];
  return { name: name.trim(), address: address ?? alone };
}

/** @throws SettingsError when the kind needs what is not there, or has no use for what is */
function checkAdminUrl(kind: BrokerKind, { url, adminUrl }: { url: string; adminUrl: string | null }): void {
  if (kind === 'mosquitto') {
    if (adminUrl !== null)
      throw new SettingsError([`MQTT_ADMIN_URL: of no use with MQTT_KIND ${kind}; allowed: nothing`]);
    return;
  }
  const { allowed } = CLOUD_SETTINGS.MQTT_ADMIN_URL;
  if (adminUrl === null)
    throw new SettingsError([`MQTT_ADMIN_URL: missing beside MQTT_KIND ${kind}; allowed: ${allowed}`]);
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') {
    const reason = `with MQTT_KIND ${kind} the cloud's own password follows from its server key`;
    throw new SettingsError([`MQTT_URL: it names a user; allowed: an address without one, as ${reason}`]);
  }
}

function isBrokerUrl(text: string): boolean {
  return isServerAddress(text, ['mqtt', 'mqtts']);
}

function isAdminUrl(text: string): boolean {
  return text.split(',').every((each) => isServerAddress(each, ['nats', 'tls']));
}

function isSmtpUrl(text: string): boolean {
  return isServerAddress(text, ['smtp', 'smtps']);
}

/** Writes origins as browsers do: in lower case, without the scheme's default port. */
function originsOf(text: string): string[] {
  return partsOf(text).map((origin) => new URL(origin).origin);
}

function partsOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function areProxies(text: string): boolean {
  try {
    createIsProxy(partsOf(text));
    return true;
  } catch {
    return false;
  }
}

/** Builds the addresses that people, programs and gateways use, once the listeners have their ports. */
export function publicAddresses(
  config: Pick<CloudConfig, 'host' | 'baseUrl' | 'externalBroker' | 'mqttPublicUrl' | 'tls' | 'mqttTls'>,
  ports: { http: number; mqtt: number },
): { baseUrl: string; mqttUrl: string } {
  const baseUrl =
    config.baseUrl ?? `${config.tls === null ? 'http' : 'https'}://${reachableHost(config.host)}:${ports.http}`;
  return { baseUrl, mqttUrl: config.mqttPublicUrl ?? brokerUrl(config, new URL(baseUrl).hostname, ports.mqtt) };
}

function brokerUrl(
  { externalBroker, mqttTls }: Pick<CloudConfig, 'externalBroker' | 'mqttTls'>,
  ownHost: string,
  ownPort: number,
): string {
  if (externalBroker === null) return `${mqttTls === null ? 'mqtt' : 'mqtts'}://${ownHost}:${ownPort}`;
  const { protocol, host } = new URL(externalBroker.url);
  return `${protocol}//${host}`;
}

/** Names a host by which a listener on all addresses can be reached. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
