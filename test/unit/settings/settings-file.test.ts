/** The file that the programs read their settings from, through the configuration of each. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadAgentConfig } from '../../../agent/config.js';
import { loadCloudConfig } from '../../../cloud/config.js';
import { parseEnvFileLines } from '../../../shared/env-file-parser.js';
import { SettingsError } from '../../../shared/settings.js';

let workingDirectory: string;
beforeEach(() => {
  workingDirectory = mkdtempSync(join(tmpdir(), 'settings-file-'));
});
afterEach(() => rmSync(workingDirectory, { recursive: true }));

const writeEnv = (text: string) => writeFileSync(join(workingDirectory, '.env'), text);
const cloud = (given: Parameters<typeof loadCloudConfig>[0] = {}) =>
  loadCloudConfig({ environment: {}, workingDirectory, ...given });
const agent = (given: Parameters<typeof loadAgentConfig>[0] = {}) =>
  loadAgentConfig({ environment: {}, workingDirectory, ...given });

function problemsOf(load: () => unknown): string[] {
  try {
    load();
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe('an .env in the working directory', () => {
  it('is read by itself; the environment goes before it, flags before both', () => {
    writeEnv('PORT=1\nMQTT_PORT=2\nHOST=0.0.0.0\nAGENT_HTTP_PORT=3\nBLE_HCI=off\n');
    const environment = { MQTT_PORT: '22', AGENT_HTTP_PORT: '33' };
    expect(cloud({ environment, flags: { host: '::' } })).toMatchObject({ port: 1, mqttPort: 22, host: '::' });
    expect(agent({ environment })).toMatchObject({ httpPort: 33, adapters: [] });
  });

  it('may be missing', () => {
    expect(cloud().port).toBe(8080);
    expect(agent().httpPort).toBe(8090);
  });

  it('is not read when --config names another file', () => {
    writeEnv('PORT=nonsense\nAGENT_HTTP_PORT=nonsense\n');
    const configFile = join(workingDirectory, 'other.env');
    writeFileSync(configFile, 'LOG_LEVEL=warn\n');
    expect(cloud({ configFile })).toMatchObject({ port: 8080, logLevel: 'warn' });
    expect(agent({ configFile })).toMatchObject({ httpPort: 8090, logLevel: 'warn' });
  });

  it('may have comments, quotes, exports and a byte order mark', () => {
    writeEnv(
      '\uFEFF# the site\r\nexport PORT=9000 # not 8080\r\n\r\nCORS_ORIGINS="https://a.example,\nhttps://b.example"\r\n',
    );
    expect(cloud()).toMatchObject({ port: 9000, corsOrigins: ['https://a.example', 'https://b.example'] });
  });

  it('stops the start with every wrong value by its name and line, and with what is allowed', () => {
    writeEnv('# the cloud\nPORT=99999\n\nBASE_URL=parking.example\nPROT=1\n');
    const file = join(workingDirectory, '.env');
    expect(problemsOf(cloud)).toEqual([
      expect.stringMatching(new RegExp(`^PROT \\(${file}:5\\): no such setting; allowed: HOST, PORT, `)),
      `PORT (${file}:2): "99999" is not allowed; allowed: a whole number from 0 to 65535`,
      `BASE_URL (${file}:4): "parking.example" is not allowed; allowed: an address beginning with http:// or https://, with nothing after its host and port (no path), and no user`,
    ]);
  });

  it('stops the start with the lines that set nothing, and repeats none of them', () => {
    writeEnv('PORT=1\nSERVER_KEY abc123\nLOG_LEVEL="warn\n');
    const file = join(workingDirectory, '.env');
    const said = 'sets nothing; allowed: NAME=value, a comment after #, an empty line';
    for (const load of [cloud, agent]) expect(problemsOf(load)).toEqual([`${file}:2: ${said}`, `${file}:3: ${said}`]);
  });

  it('stops the start when it cannot be read', () => {
    mkdirSync(join(workingDirectory, '.env'));
    for (const load of [cloud, agent])
      expect(problemsOf(load)).toEqual([expect.stringMatching(/\/\.env: cannot be read: EISDIR/)]);
  });
});

describe('the lines of an .env', () => {
  it('are those where a name is set last', () => {
    const { lines, malformed } = parseEnvFileLines("A=1\n\n  B = 'x\ny' # two lines\nexport C=\n#D=1\nA=2\nE=a\"b");
    expect([...lines]).toEqual([
      ['A', 7],
      ['B', 3],
      ['C', 5],
      ['E', 8],
    ]);
    expect(malformed).toEqual([]);
  });

  it.each(['A', '=1', 'A B=1', '- A: 1', 'A="', "A='x", 'A=`x\nB=1'])('%j has one that sets nothing', (text) => {
    expect(parseEnvFileLines(`C=1\n${text}\n`).malformed).toEqual([2]);
  });
});
