/** The settings of the agent. Nothing else reads its environment; they are parsed once, at the start. */
import { join, resolve } from 'node:path';
import {
  type AnySetting,
  choiceSetting,
  integerSetting,
  SettingsError,
  textSetting,
  urlSetting,
} from '../shared/settings.js';
import { SCREEN_FILE_NAME } from './commissioning/device-screen.js';
import { parseClaimText } from './commissioning/claim-text-parser.js';
import { loadSettings, type SettingsPlaces } from '../shared/node/settings-file.js';
import { CLOUD_SETTING_NAMES, type AgentSettingName } from '../shared/setting-names.js';

export const AGENT_SETTINGS = {
  AGENT_DATA_DIR: textSetting({
    default: './.data/agent',
    allowed: 'a directory',
    description: 'identity, database with the queue, malformed pushes',
  }),
  AGENT_HTTP_HOST: textSetting({
    default: '127.0.0.1',
    pattern: /^[^\s/]+$/,
    allowed: 'an address of this machine, 0.0.0.0 or :: for all',
    description: 'address of the listener for camera pushes and status',
  }),
  AGENT_HTTP_PORT: integerSetting({ default: 8090, min: 0, max: 65_535, description: 'its port; 0: any free one' }),
  CLOUD_URL: urlSetting({ default: null, schemes: ['http', 'https'], description: 'cloud to join at the first start' }),
  CLAIM_CODE: textSetting({
    default: null,
    pattern: /^(\s*\S){4,512}\s*$/,
    allowed: 'the one-time code that was given for this gateway, or the link of its QR code',
    secret: true,
    description: 'code to join it with',
  }),
  REPORT_INTERVAL_MS: integerSetting({
    default: 30_000,
    min: 1_000,
    max: 3_600_000,
    description: 'how often products seen are reported',
  }),
  BLE_HCI: textSetting({
    default: null,
    pattern: /^(hci\d{1,2}(,hci\d{1,2})*|sim:.+|off)$/,
    allowed: 'hci0, hci1 ... (an adapter; several: hci0,hci1), sim:PATH (the emulated radio), off',
    description: 'Bluetooth adapters (default: the first one)',
  }),
  CLAIM_FILE: textSetting({
    default: null,
    allowed: 'a file, such as /boot/firmware/claim.json',
    description: 'what an unclaimed gateway reads at its start to be claimed (`claim.json`), and erases then',
  }),
  LED_PATH: textSetting({
    default: null,
    pattern: /^\//,
    allowed: 'a folder under /sys/class/leds, such as /sys/class/leds/ACT',
    description: 'LED that says how the gateway is (how: guide "Installing a gateway"); unset: none does',
  }),
  LOG_LEVEL: choiceSetting({
    default: 'info',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    description: 'least important lines that are logged',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: urlSetting({
    default: null,
    schemes: ['http', 'https'],
    description: 'OpenTelemetry collector to which traces of plate reads are sent (OTLP over HTTP); unset: none are',
  }),
} as const satisfies Record<AgentSettingName, AnySetting>;

/** An adapter that the gateway uses. */
export type AdapterChoice = { kind: 'adapter'; index?: number } | { kind: 'sim'; path: string };

const OWN_NAMES = ['identity.json', 'agent.db', 'quarantine', 'camera-setup'] as const;

export interface AgentConfig {
  /** Where everything below is kept. */
  dataDir: string;
  /**
   * The names that the program uses there, also when more follows after a dot or a dash: a reset erases these, and
   * nothing else.
   */
  ownNames: readonly string[];
  identityFile: string;
  databaseFile: string;
  quarantineDir: string;
  /** The settings of cameras as they were before the cameras were set up. */
  cameraSetupDir: string;
  /** The update that is under way, and how far it is. */
  updateDir: string;
  httpHost: string;
  httpPort: number;
  /** null: the program need not join a cloud. */
  claim: { cloudUrl: string; code: string; ca?: string } | null;
  /** null: none is read. */
  claimFile: string | null;
  /** null: no LED says how it is. */
  ledPath: string | null;
  /** The file that getty shows; null: no service manager gave the program a folder for it. */
  screenFile: string | null;
  /** Written while something moves that a restart of the device would disturb; null: nobody looks. */
  movingFile: string | null;
  /** As systemd gives them; null: no service manager started the program. */
  notifySocket: string | null;
  watchdogMs: number | null;
  reportIntervalMs: number;
  /** None: it has no radio. */
  adapters: AdapterChoice[];
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** The address of the OpenTelemetry collector; null: nothing is traced. */
  otlpEndpoint: string | null;
}

/**
 * Reads the settings. Flags override the environment, which overrides the file: the one that is named, or else an `.env` in the
 * working directory.
 * @param given.flags options by name (`agentDataDir`); names that are not settings are ignored
 * @throws SettingsError (exit code 2)
 */
export function loadAgentConfig(places: SettingsPlaces): AgentConfig {
  const values = loadSettings(AGENT_SETTINGS, places, CLOUD_SETTING_NAMES);
  const typed = values.CLAIM_CODE === null ? null : parseClaimText(values.CLAIM_CODE);
  const cloudUrl = typed?.cloudUrl ?? values.CLOUD_URL;
  if (typed !== null && cloudUrl === null) {
    throw new SettingsError([
      'CLAIM_CODE: given without CLOUD_URL; allowed: with CLOUD_URL, as the link of its QR code, or not at all',
    ]);
  }
  const dataDir = resolve(values.AGENT_DATA_DIR);
  // Whatever the program keeps is one of the names, or a reset would leave it behind.
  const own = (name: (typeof OWN_NAMES)[number]) => join(dataDir, name);
  return {
    dataDir,
    ownNames: OWN_NAMES,
    identityFile: own('identity.json'),
    databaseFile: own('agent.db'),
    quarantineDir: own('quarantine'),
    cameraSetupDir: own('camera-setup'),
    // Not among its own names: a reset undoes no security floor.
    updateDir: join(dataDir, 'update'),
    httpHost: values.AGENT_HTTP_HOST,
    httpPort: values.AGENT_HTTP_PORT,
    claim: typed === null || cloudUrl === null ? null : { cloudUrl, code: typed.code },
    claimFile: values.CLAIM_FILE === null ? null : resolve(values.CLAIM_FILE),
    ledPath: values.LED_PATH,
    ...serviceManagerOf(places.environment ?? process.env),
    reportIntervalMs: values.REPORT_INTERVAL_MS,
    adapters: adapterChoices(values.BLE_HCI),
    logLevel: values.LOG_LEVEL,
    otlpEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
  };
}

/**
 * sd_notify(3), sd_watchdog_enabled(3). The limits of memory replace the process, and its id stays: variables for
 * another id are a parent's.
 */
function serviceManagerOf(environment: Record<string, string | undefined>) {
  const { NOTIFY_SOCKET: socket = '', WATCHDOG_USEC: usec = '', WATCHDOG_PID: pid = '' } = environment;
  const { RUNTIME_DIRECTORY: runtimeDir = '' } = environment;
  const isOurs = pid === '' || pid === String(process.pid);
  const watchdogMs = Number(usec) / 1_000;
  return {
    notifySocket: socket === '' ? null : socket,
    screenFile: runtimeDir === '' ? null : join(runtimeDir, SCREEN_FILE_NAME),
    movingFile: runtimeDir === '' ? null : join(runtimeDir, 'moving'),
    watchdogMs: isOurs && watchdogMs > 0 ? watchdogMs : null,
  };
}

/** An adapter that is named twice is used once. An emulated radio that is named twice is two adapters on it. */
function adapterChoices(text: string | null): AdapterChoice[] {
  if (text === null) return [{ kind: 'adapter' }];
  if (text === 'off') return [];
  if (text.startsWith('sim:')) {
    return text
      .slice('sim:'.length)
      .split(',sim:')
      .map((path) => ({ kind: 'sim', path }));
  }
  const indices = text.split(',').map((name) => Number(name.slice('hci'.length)));
  return [...new Set(indices)].map((index) => ({ kind: 'adapter', index }));
}
