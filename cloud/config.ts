/** The settings of the cloud. Nothing else reads its environment; they are parsed once, at the start. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { parse as parseYaml } from 'yaml';
import {
  type AnySetting,
  choiceSetting,
  integerSetting,
  readSettings,
  SettingsError,
  settingsFromFlags,
  textSetting,
  urlSetting,
} from '../shared/settings.js';
import { settingsFromFile, type SettingsFilePlace, type SettingsFileReader } from '../shared/settings-file.js';
import { AGENT_SETTING_NAMES, type CloudSettingName } from '../shared/setting-names.js';
import type { TlsPlace } from './secrets/tls-files.js';
import { createIsProxy } from './http/client-address.js';
import { absoluteDatabaseUrl, DATABASE_URL_ALLOWED, isDatabaseUrl } from './store/database-url.js';

const tlsFileSetting = (description: string) => textSetting({ default: null, allowed: 'a PEM file', description });

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
  BASE_URL: urlSetting({
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
  // This is the contract's name for an external broker. If it were ignored, an operator would wait for gateways that use another address.
  MQTT_URL: textSetting({
    default: null,
    pattern: /^$/,
    allowed:
      'nothing (this version knows no other broker than its own: MQTT_HOST and MQTT_PORT say where that listens)',
    // A broker's address may hold a password.
    secret: true,
    description: 'external broker (default: the embedded one)',
  }),
  MQTT_HOST: textSetting({
    default: '127.0.0.1',
    pattern: /^[^\s/]+$/,
    allowed: 'an address of this machine, 0.0.0.0 or :: for all',
    description: "address of the embedded broker's listener",
  }),
  MQTT_PORT: integerSetting({
    default: 1883,
    min: 0,
    max: 65_535,
    description: "port of the embedded broker's listener; 0: any free one",
  }),
  MQTT_PUBLIC_URL: urlSetting({
    default: null,
    schemes: ['mqtt', 'mqtts'],
    description: "broker address for gateways (default: BASE_URL's host and MQTT_PORT)",
  }),
  TLS_CERT: tlsFileSetting('certificate of the REST and WebSocket listener, which then speaks TLS; with TLS_KEY'),
  TLS_KEY: tlsFileSetting('key of TLS_CERT'),
  MQTT_TLS_CERT: tlsFileSetting("certificate of the embedded broker's listener, likewise; with MQTT_TLS_KEY"),
  MQTT_TLS_KEY: tlsFileSetting('key of MQTT_TLS_CERT'),
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
    pattern: /^(https?:\/\/[^\s/,]+(,\s*https?:\/\/[^\s/,]+)*)?$/,
    allowed: 'origins like https://console.example, with commas between them',
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
  SERVER_KEY: textSetting({
    default: null,
    pattern: /^[0-9a-fA-F]{64}$/,
    allowed: '64 hex digits',
    secret: true,
    description: 'key that seals secrets at rest (default: made at the first start, server-keys.json in DATA_DIR)',
  }),
} as const satisfies Record<CloudSettingName, AnySetting>;

const files: SettingsFileReader = {
  readText: (path) => readFileSync(path, 'utf8'),
  parseEnv,
  parseYaml: (text) => parseYaml(text, { schema: 'failsafe' }),
};

export interface CloudConfig {
  host: string;
  port: number;
  /** null: from the listener (`publicAddresses`). */
  baseUrl: string | null;
  dataDir: string;
  /** `sqlite:PATH`, PATH absolute, or `postgres://...`. */
  databaseUrl: string;
  mqttHost: string;
  mqttPort: number;
  /** null: from the base URL and the broker's port (`publicAddresses`). */
  mqttPublicUrl: string | null;
  /** null: the listener speaks without TLS. */
  tls: TlsPlace | null;
  mqttTls: TlsPlace | null;
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  eventRetentionHours: number;
  /** Per token; 0: no limit. */
  rateRequestsPerMin: number;
  /** 0: no limit. */
  rateLoginFailuresPerMin: number;
  /** 0: no limit. */
  ratePublicPerMin: number;
  /** Life of a user token after its last use. */
  userTokenDays: number;
  /** Addresses and networks. */
  trustedProxies: string[];
  /** Origins of pages that may use the service from a browser, as browsers write them. */
  corsOrigins: string[];
  metricsPublic: boolean;
  webhookAllowPrivate: boolean;
  productSeenWithinMs: number;
  /** dBm */
  productMinRssi: number;
  gatewayWaitMs: number;
  /** 0: no limit. */
  rateCommandsPerMin: number;
  terminalWaitMs: number;
  tokenExpiryCheckMs: number;
  /** Hex; null: kept in DATA_DIR. */
  serverKey: string | null;
}

/**
 * Reads the settings. Flags override the environment, which overrides the file: the one that is named, or else an `.env` in the
 * working directory.
 * @param given.flags options by name (`dataDir`); names that are not settings are ignored
 * @throws SettingsError (exit code 2)
 */
export function loadCloudConfig(
  given: SettingsFilePlace & { flags?: Record<string, unknown>; environment?: Record<string, string | undefined> },
): CloudConfig {
  const environment = given.environment ?? process.env;
  const values = readSettings(CLOUD_SETTINGS, [
    ...settingsFromFile(files, given, AGENT_SETTING_NAMES),
    { name: 'environment', values: environment, strict: false },
    settingsFromFlags(CLOUD_SETTINGS, given.flags ?? {}),
  ]);
  if (values.PORT !== 0 && values.PORT === values.MQTT_PORT && values.HOST === values.MQTT_HOST) {
    throw new SettingsError([`MQTT_PORT: ${values.MQTT_PORT} is PORT's too; allowed: a port of its own`]);
  }
  const dataDir = resolve(values.DATA_DIR);
  return {
    host: values.HOST,
    port: values.PORT,
    baseUrl: values.BASE_URL,
    dataDir,
    databaseUrl: absoluteDatabaseUrl(values.DATABASE_URL ?? `sqlite:${join(dataDir, 'cloud.db')}`),
    mqttHost: values.MQTT_HOST,
    mqttPort: values.MQTT_PORT,
    mqttPublicUrl: values.MQTT_PUBLIC_URL,
    tls: tlsPlace(values, 'TLS_CERT', 'TLS_KEY'),
    mqttTls: tlsPlace(values, 'MQTT_TLS_CERT', 'MQTT_TLS_KEY'),
    logLevel: values.LOG_LEVEL,
    eventRetentionHours: values.EVENT_RETENTION_HOURS,
    rateRequestsPerMin: values.RATE_REQUESTS_PER_MIN,
    rateLoginFailuresPerMin: values.RATE_LOGIN_FAILURES_PER_MIN,
    ratePublicPerMin: values.RATE_PUBLIC_PER_MIN,
    userTokenDays: values.USER_TOKEN_DAYS,
    trustedProxies: partsOf(values.TRUSTED_PROXIES),
    corsOrigins: originsOf(values.CORS_ORIGINS),
    metricsPublic: values.METRICS_PUBLIC === 'true',
    webhookAllowPrivate: values.WEBHOOK_ALLOW_PRIVATE === 'true',
    productSeenWithinMs: values.PRODUCT_SEEN_WITHIN_MS,
    productMinRssi: values.PRODUCT_MIN_RSSI,
    gatewayWaitMs: values.GATEWAY_WAIT_MS,
    rateCommandsPerMin: values.RATE_COMMANDS_PER_MIN,
    terminalWaitMs: values.TERMINAL_WAIT_MS,
    tokenExpiryCheckMs: values.TOKEN_EXPIRY_CHECK_MS,
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

/** Writes origins as browsers do: in lower case, without the scheme's default port. @throws SettingsError */
function originsOf(text: string): string[] {
  return partsOf(text).map((origin) => {
    if (!URL.canParse(origin))
      throw new SettingsError([`CORS_ORIGINS: ${origin} is no origin like https://console.example`]);
    return new URL(origin).origin;
  });
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
  config: Pick<CloudConfig, 'host' | 'baseUrl' | 'mqttPublicUrl' | 'tls' | 'mqttTls'>,
  ports: { http: number; mqtt: number },
): { baseUrl: string; mqttUrl: string } {
  const baseUrl =
    config.baseUrl ?? `${config.tls === null ? 'http' : 'https'}://${reachableHost(config.host)}:${ports.http}`;
  const mqttScheme = config.mqttTls === null ? 'mqtt' : 'mqtts';
  return { baseUrl, mqttUrl: config.mqttPublicUrl ?? `${mqttScheme}://${new URL(baseUrl).hostname}:${ports.mqtt}` };
}

/** Names a host by which a listener on all addresses can be reached. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
