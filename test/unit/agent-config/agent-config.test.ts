import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { AGENT_SETTINGS, loadAgentConfig } from '../../../agent/config.js';
import { SettingsError } from '../../../shared/settings.js';

const directory = mkdtempSync(join(tmpdir(), 'agent-config-'));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const from = (environment: Record<string, string>) => loadAgentConfig({ environment });

function problemsOf(given: Parameters<typeof loadAgentConfig>[0]): string[] {
  try {
    loadAgentConfig({ environment: {}, ...given });
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe('agent configuration', () => {
  it('has a default for everything', () => {
    expect(from({})).toEqual({
      dataDir: resolve('.data/agent'),
      ownNames: ['identity.json', 'agent.db', 'quarantine', 'camera-setup'],
      claimFile: null,
      ledPath: null,
      screenFile: null,
      movingFile: null,
      notifySocket: null,
      watchdogMs: null,
      identityFile: resolve('.data/agent/identity.json'),
      cameraSetupDir: resolve('.data/agent/camera-setup'),
      databaseFile: resolve('.data/agent/agent.db'),
      updateDir: resolve('.data/agent/update'),
      quarantineDir: resolve('.data/agent/quarantine'),
      httpHost: '127.0.0.1',
      httpPort: 8090,
      claim: null,
      reportIntervalMs: 30_000,
      adapters: [{ kind: 'adapter' }],
      logLevel: 'info',
      otlpEndpoint: null,
    });
  });

  it('takes every setting', () => {
    const environment = {
      AGENT_DATA_DIR: '/var/lib/parking',
      AGENT_HTTP_HOST: '::',
      AGENT_HTTP_PORT: '0',
      CLOUD_URL: 'https://cloud.example/',
      CLAIM_CODE: 'HARBOUR-NORTH-0001',
      REPORT_INTERVAL_MS: '5000',
      BLE_HCI: 'hci1',
      CLAIM_FILE: '/boot/firmware/claim.json',
      LED_PATH: '/sys/class/leds/ACT',
      LOG_LEVEL: 'silent',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318/',
    };
    expect(Object.keys(environment).sort()).toEqual(Object.keys(AGENT_SETTINGS).sort());
    expect(from(environment)).toEqual({
      dataDir: '/var/lib/parking',
      ownNames: ['identity.json', 'agent.db', 'quarantine', 'camera-setup'],
      claimFile: '/boot/firmware/claim.json',
      ledPath: '/sys/class/leds/ACT',
      screenFile: null,
      movingFile: null,
      notifySocket: null,
      watchdogMs: null,
      identityFile: '/var/lib/parking/identity.json',
      cameraSetupDir: '/var/lib/parking/camera-setup',
      databaseFile: '/var/lib/parking/agent.db',
      updateDir: '/var/lib/parking/update',
      quarantineDir: '/var/lib/parking/quarantine',
      httpHost: '::',
      httpPort: 0,
      claim: { cloudUrl: 'https://cloud.example', code: 'HARBOUR-NORTH-0001' },
      reportIntervalMs: 5_000,
      adapters: [{ kind: 'adapter', index: 1 }],
      logLevel: 'silent',
      otlpEndpoint: 'http://collector.example:4318',
    });
  });

  it.each([
    ['hci0', [{ kind: 'adapter', index: 0 }]],
    ['hci12', [{ kind: 'adapter', index: 12 }]],
    [
      'hci0,hci1',
      [
        { kind: 'adapter', index: 0 },
        { kind: 'adapter', index: 1 },
      ],
    ],
    ['hci1,hci1', [{ kind: 'adapter', index: 1 }]],
    ['sim:/tmp/radio.sock', [{ kind: 'sim', path: '/tmp/radio.sock' }]],
    [
      'sim:/tmp/a,sim:/tmp/a',
      [
        { kind: 'sim', path: '/tmp/a' },
        { kind: 'sim', path: '/tmp/a' },
      ],
    ],
    ['off', []],
    ['', [{ kind: 'adapter' }]],
  ])('understands BLE_HCI=%s', (text, adapters) => {
    expect(from({ BLE_HCI: text }).adapters).toEqual(adapters);
  });

  it.each([
    ['AGENT_HTTP_HOST', ['a b', 'http://0.0.0.0/'], 'an address of this machine, 0.0.0.0 or :: for all'],
    ['AGENT_HTTP_PORT', ['65536', '-1', '80.5', 'http'], 'a whole number from 0 to 65535'],
    [
      'CLOUD_URL',
      ['cloud.example', 'mqtt://cloud.example', 'https://cloud.example?x=1', 'https://cloud.example/#x'],
      'an address beginning with http:// or https://, without a query or fragment',
    ],
    ['REPORT_INTERVAL_MS', ['999', '3600001', '30s'], 'a whole number from 1000 to 3600000'],
    [
      'BLE_HCI',
      ['hci', 'hci100', 'sim:', 'OFF', 'usb'],
      'hci0, hci1 ... (an adapter; several: hci0,hci1), sim:PATH (the emulated radio), off',
    ],
    ['LED_PATH', ['ACT'], 'a folder under /sys/class/leds, such as /sys/class/leds/ACT'],
    ['LOG_LEVEL', ['loud', 'INFO'], 'debug, info, warn, error, silent'],
  ])('refuses a wrong %s and says what is allowed', (name, values, allowed) => {
    for (const value of values) {
      expect(problemsOf({ environment: { [name]: value } })).toEqual([
        `${name} (environment): "${value}" is not allowed; allowed: ${allowed}`,
      ]);
    }
  });

  it('hears who started the program and watches over it, unless that is meant for another process', () => {
    const watched = { NOTIFY_SOCKET: '/run/systemd/notify', WATCHDOG_USEC: '60000000' };
    expect(from(watched)).toMatchObject({ notifySocket: '/run/systemd/notify', watchdogMs: 60_000 });
    const { pid, ppid } = process;
    expect(from({ ...watched, WATCHDOG_PID: String(pid) }).watchdogMs).toBe(60_000);
    expect(from({ ...watched, WATCHDOG_PID: String(ppid) }).watchdogMs).toBeNull();
    for (const WATCHDOG_USEC of ['0', '-1', 'x', '']) expect(from({ ...watched, WATCHDOG_USEC }).watchdogMs).toBeNull();
  });

  it('repeats no claim code in an error', () => {
    const environment = { CLOUD_URL: 'https://cloud.example', CLAIM_CODE: 'x y z' };
    expect(problemsOf({ environment })).toEqual([
      'CLAIM_CODE (environment): this value is not allowed; allowed: the one-time code that was given for this gateway, or the link of its QR code',
    ]);
  });

  it('refuses a code without a cloud, not a cloud without a code', () => {
    expect(problemsOf({ environment: { CLAIM_CODE: 'HARBOUR-NORTH-0001' } })).toEqual([
      'CLAIM_CODE: given without CLOUD_URL; allowed: with CLOUD_URL, as the link of its QR code, or not at all',
    ]);
    expect(from({ CLOUD_URL: 'https://cloud.example' }).claim).toBeNull();
  });

  it('tells every problem at once, and of the file what is no setting', () => {
    const configFile = file('wrong.env', 'AGENT_PORT=8090\nBLE_HCI=usb\n');
    expect(problemsOf({ configFile, environment: { LOG_LEVEL: 'loud' }, flags: { agentHttpPort: 'x' } })).toEqual([
      expect.stringMatching(/^AGENT_PORT \(.*wrong\.env:1\): no such setting; allowed: AGENT_DATA_DIR, /),
      expect.stringMatching(/^AGENT_HTTP_PORT \(flag\): "x" is not allowed/),
      expect.stringMatching(/^BLE_HCI \(.*wrong\.env:2\): "usb" is not allowed/),
      expect.stringMatching(/^LOG_LEVEL \(environment\): "loud" is not allowed/),
    ]);
  });

  it('takes flags before the environment before the file, and an empty text for nothing', () => {
    const text = '# of this gateway\nAGENT_HTTP_PORT=1\nREPORT_INTERVAL_MS=2000\nBLE_HCI="hci3"\nLOG_LEVEL=\n';
    const environment = { AGENT_HTTP_PORT: '2', REPORT_INTERVAL_MS: '3000', BLE_HCI: '', HOME: '/root' };
    const flags = { agentHttpPort: '4', json: true };
    expect(loadAgentConfig({ configFile: file('agent.env', text), environment, flags })).toMatchObject({
      httpPort: 4,
      reportIntervalMs: 3_000,
      adapters: [{ index: 3 }],
      logLevel: 'info',
    });
  });

  it.each(['agent.yaml', 'agent.yml'])('reads the same names from %s, as they are written', (name) => {
    const text =
      'AGENT_HTTP_PORT: 9001\nCLOUD_URL: https://cloud.example\nCLAIM_CODE: 00123456\nBLE_HCI: off\nLOG_LEVEL:\n';
    expect(loadAgentConfig({ configFile: file(name, text), environment: {} })).toMatchObject({
      httpPort: 9_001,
      claim: { cloudUrl: 'https://cloud.example', code: '00123456' },
      adapters: [],
      logLevel: 'info',
    });
  });

  it('takes an empty file for no settings, and refuses one that is none or is not there', () => {
    expect(problemsOf({ configFile: file('empty.yaml', '# nothing yet\n') })).toEqual([]);
    for (const [name, text] of [
      ['list.yaml', '- AGENT_HTTP_PORT\n'],
      ['text.yaml', 'AGENT_HTTP_PORT\n'],
    ] as const) {
      expect(problemsOf({ configFile: file(name, text) })).toEqual([
        `--config ${join(directory, name)}: it must hold lines of the form NAME: value`,
      ]);
    }
    const twice = file('twice.yaml', 'LOG_LEVEL: info\nLOG_LEVEL: warn\n');
    const missing = join(directory, 'missing.env');
    for (const configFile of [twice, missing]) {
      expect(problemsOf({ configFile })).toEqual([expect.stringContaining(`--config ${configFile}: cannot be read: `)]);
    }
    expect(problemsOf({ configFile: file('nested.yaml', 'LOG_LEVEL: [info]\n') })).toEqual([
      expect.stringMatching(/^LOG_LEVEL \(.*\): \["info"\] is not allowed/),
    ]);
  });

  it('asks the machine’s own environment when none is given', () => {
    for (const name of Object.keys(AGENT_SETTINGS)) vi.stubEnv(name, '');
    vi.stubEnv('AGENT_HTTP_PORT', '7');
    expect(loadAgentConfig({}).httpPort).toBe(7);
  });
});
