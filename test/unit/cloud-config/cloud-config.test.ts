import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadCloudConfig, publicAddresses } from '../../../cloud/config.js';
import { flagOfSetting, SettingsError } from '../../../shared/settings.js';

const directory = mkdtempSync(join(tmpdir(), 'cloud-config-'));
afterAll(() => rmSync(directory, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

function problemsOf(given: Parameters<typeof loadCloudConfig>[0]): string[] {
  try {
    loadCloudConfig(given);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

/** Addresses with what has no meaning in one of a server alone. */
const WITH_MORE = (scheme: string) =>
  ['/parking', '/parking/', '/?x=1', '?x=1', '#x', '/#x', '\\x', ' x', ':99999'].map(
    (end) => `${scheme}://host.example${end}`,
  );

describe('cloud configuration', () => {
  it.each([
    ['BASE_URL', 'baseUrl', ['http', 'https']],
    ['MQTT_PUBLIC_URL', 'mqttPublicUrl', ['mqtt', 'mqtts']],
  ] as const)('takes as %s a server alone, for nothing is served or asked below a path', (name, key, schemes) => {
    for (const scheme of schemes) {
      for (const host of ['host.example', 'host.example:1234', '[fd00::1]:1234', '192.0.2.7']) {
        const address = `${scheme}://${host}`;
        for (const given of [address, `${address}/`]) {
          expect(loadCloudConfig({ environment: { [name]: given } })[key]).toBe(address);
        }
      }
    }
    const wrong = [...schemes.flatMap(WITH_MORE), 'host.example', 'ws://host.example', `${schemes[0]}:host.example`];
    for (const given of [...wrong, `${schemes[0]}://`, `${schemes[0]}:///x`]) {
      expect(problemsOf({ environment: { [name]: given } })).toEqual([
        `${name} (environment): ${JSON.stringify(given)} is not allowed; allowed: an address beginning with ${schemes[0]}:// or ${schemes[1]}://, with nothing after its host and port (no path), and no user`,
      ]);
    }
    const [problem = ''] = problemsOf({ environment: { [name]: `${schemes[0]}://user:secret@host.example` } });
    expect(problem).toMatch(/: this value is not allowed; .* no user$/);
  });

  it('has a default for everything', () => {
    expect(loadCloudConfig({ environment: {} })).toEqual({
      host: '127.0.0.1',
      port: 8080,
      baseUrl: null,
      dataDir: resolve('.data/cloud'),
      databaseUrl: `sqlite:${resolve('.data/cloud/cloud.db')}`,
      mqttHost: '127.0.0.1',
      mqttPort: 1883,
      externalBroker: null,
      mqttPublicUrl: null,
      tls: null,
      mqttTls: null,
      logLevel: 'info',
      eventRetentionHours: 72,
      rateLoginFailuresPerMin: 5,
      ratePublicPerMin: 10,
      productSeenWithinMs: 120_000,
      productMinRssi: -95,
      gatewayWaitMs: 30_000,
      rateCommandsPerMin: 15,
      terminalWaitMs: 10_000,
      tokenExpiryCheckMs: 3_600_000,
      stopDelayMs: 0,
      smtp: null,
      mailFrom: { name: '', address: 'parking@localhost' },
      userTokenDays: 30,
      trustedProxies: [],
      corsOrigins: [],
      webhookAllowPrivate: false,
      metricsPublic: false,
      otlpEndpoint: null,
      rateRequestsPerMin: 600,
      serverKey: null,
    });
  });

  it('takes flags before the environment before the file, and an empty text for nothing', () => {
    const configFile = file('order.env', 'PORT=1\nMQTT_PORT=2\nHOST=file.example\n# a comment\nLOG_LEVEL="warn"\n');
    const environment = { PORT: '3', MQTT_PORT: '4', HOST: '', HOME: '/root' };
    const config = loadCloudConfig({ configFile, environment, flags: { port: '5', prune: true, dataDir: '/x' } });
    expect(config).toMatchObject({ port: 5, mqttPort: 4, host: 'file.example', logLevel: 'warn', dataDir: '/x' });
    expect(config.databaseUrl).toBe('sqlite:/x/cloud.db');
  });

  it('reads the same names from YAML', () => {
    const configFile = file('cloud.yaml', 'PORT: 9000\nBASE_URL: https://parking.example/\n');
    expect(loadCloudConfig({ configFile, environment: {} })).toMatchObject({
      port: 9000,
      baseUrl: 'https://parking.example',
    });
  });

  it('tells every wrong value at once, with its name, its place and what is allowed', () => {
    const configFile = file('wrong.yml', 'PROT: 1\nLOG_LEVEL: [loud]\n');
    const environment = { PORT: '99999', BASE_URL: 'parking.example', EVENT_RETENTION_HOURS: '1.5' };
    expect(problemsOf({ configFile, environment, flags: { mqttPort: 'abc' } })).toEqual([
      expect.stringMatching(/^PROT \(.*wrong\.yml:1\): no such setting; allowed: HOST, PORT, /),
      'PORT (environment): "99999" is not allowed; allowed: a whole number from 0 to 65535',
      'BASE_URL (environment): "parking.example" is not allowed; allowed: an address beginning with http:// or https://, with nothing after its host and port (no path), and no user',
      'MQTT_PORT (flag): "abc" is not allowed; allowed: a whole number from 0 to 65535',
      expect.stringMatching(/^LOG_LEVEL \(.*\): \["loud"\] is not allowed; allowed: debug, info, warn, error, silent$/),
      'EVENT_RETENTION_HOURS (environment): "1.5" is not allowed; allowed: a whole number from 1 to 8760',
    ]);
  });

  it('says which databases and brokers it knows, and repeats no secret', () => {
    const environment = {
      DATABASE_URL: 'mysql://user:secret@db/parking',
      MQTT_URL: 'http://user:secret@broker',
      SERVER_KEY: 'abc123',
    };
    const problems = problemsOf({ environment });
    expect(problems).toEqual([
      'DATABASE_URL (environment): this value is not allowed; allowed: sqlite:PATH, or postgres://USER:PASSWORD@HOST:PORT/DATABASE (special characters in a password as %XX)',
      'MQTT_URL (environment): this value is not allowed; allowed: an address like mqtts://user:password@broker.example:8883, mqtt:// without TLS',
      'SERVER_KEY (environment): this value is not allowed; allowed: 64 hex digits',
    ]);
  });

  it('takes the addresses of databases', () => {
    const databaseUrl = (DATABASE_URL: string) => loadCloudConfig({ environment: { DATABASE_URL } }).databaseUrl;
    expect(databaseUrl('sqlite:x/cloud.db')).toBe(`sqlite:${resolve('x/cloud.db')}`);
    for (const url of [
      'postgres://parking:p%40ss%2Fword@db.example:5433/parking?sslmode=verify-full&sslrootcert=/ca.pem',
      'postgresql://parking@[::1]/parking',
      'postgres:///parking?host=/run/postgresql',
    ]) {
      expect(databaseUrl(url)).toBe(url);
    }
    for (const DATABASE_URL of [
      'sqlite:',
      'sqlite::memory:',
      'cloud.db',
      'postgres:parking',
      'postgres://parking:a/b@db/parking',
      'postgres://parking:a@b/c@db/parking',
      'postgres://parking:1#b@db/parking',
      'postgres://parking:%E0%A4@db/parking',
    ]) {
      expect(problemsOf({ environment: { DATABASE_URL } })).toEqual([
        expect.stringMatching(
          /^DATABASE_URL \(environment\): this value is not allowed; allowed: sqlite:PATH, or postgres:/,
        ),
      ]);
    }
  });

  it.each([
    ['smtp://mail.example', null],
    ['smtp://mail.example:25/', null],
    ['smtp://parking%40harbour:p%40ss%3Aw%2Frd@mail.example:587', '/ca.pem'],
    ['smtps://mail.example', null],
    ['smtps://parking:secret@[2001:db8::25]:465', null],
  ])('takes the mail server %s', (SMTP_URL, ca) => {
    const environment = { SMTP_URL, ...(ca === null ? {} : { SMTP_CA: ca }) };
    expect(loadCloudConfig({ environment }).smtp).toEqual({ url: SMTP_URL, ca });
  });

  it.each([
    'mail.example',
    'smtp:mail.example',
    'smtp://',
    'smtp:///mail',
    'smtp://mail.example/path',
    'smtp://mail.example?tls=no',
    'smtp://mail.example#x',
    'smtp://mail.example:99999',
    'smtp://mail example',
    'smtp://user:100%@mail.example',
    'smtp://user:%E0%A4@mail.example',
    'smtp://user:a/secret@mail.example',
    'http://user:secret@mail.example',
    'smtp+starttls://user:secret@mail.example',
  ])('refuses the mail server %s, and repeats no password', (SMTP_URL) => {
    const [problem, ...others] = problemsOf({ environment: { SMTP_URL } });
    expect(others).toEqual([]);
    expect(problem).toMatch(
      /^SMTP_URL \(environment\): this value is not allowed; allowed: an address like smtp:\/\/user:password@mail\.example:587/,
    );
    expect(problem).not.toContain('secret');
  });

  it('has an authority for a mail server only beside one', () => {
    expect(problemsOf({ environment: { SMTP_CA: '/ca.pem' } })).toEqual([
      'SMTP_URL: missing beside SMTP_CA; allowed: both, or neither',
    ]);
  });

  it.each([
    ['parking@harbour.example', { name: '', address: 'parking@harbour.example' }],
    ['Harbour Parking <parking@harbour.example>', { name: 'Harbour Parking', address: 'parking@harbour.example' }],
    ['Čakovec Parking <p@čakovec.example>', { name: 'Čakovec Parking', address: 'p@čakovec.example' }],
  ])('takes the sender %s', (MAIL_FROM, mailFrom) => {
    expect(loadCloudConfig({ environment: { MAIL_FROM } }).mailFrom).toEqual(mailFrom);
  });

  it.each([
    'parking',
    'parking@',
    'a@b.example, c@d.example',
    'Harbour <parking@harbour.example> <x@y.example>',
    'Harbour\r\nBcc: x@y.example <parking@harbour.example>',
  ])('refuses the sender %j', (MAIL_FROM) => {
    expect(problemsOf({ environment: { MAIL_FROM } })).toEqual([
      expect.stringMatching(/^MAIL_FROM \(environment\): .* is not allowed; allowed: an address like parking@/s),
    ]);
  });

  it('takes an external broker with its kind, and tells gateways its address without the password', () => {
    const environment = {
      MQTT_URL: 'mqtts://user:p%40ss@broker.example:8884/',
      MQTT_KIND: 'mosquitto',
      MQTT_CA: '/ca.pem',
    };
    const config = loadCloudConfig({ environment });
    expect(config.externalBroker).toEqual({
      url: environment.MQTT_URL,
      kind: 'mosquitto',
      adminUrl: null,
      ca: '/ca.pem',
    });
    const ports = { http: 80, mqtt: 1883 };
    expect(publicAddresses(config, ports).mqttUrl).toBe('mqtts://broker.example:8884');
    const named = loadCloudConfig({ environment: { ...environment, MQTT_PUBLIC_URL: 'mqtts://b.example:1' } });
    expect(publicAddresses(named, ports).mqttUrl).toBe('mqtts://b.example:1');
  });

  it('takes the addresses for orders to NATS', () => {
    const adminUrl = 'tls://nats-1.example:4222,tls://nats-2.example:4222';
    const environment = { MQTT_URL: 'mqtts://broker.example', MQTT_KIND: 'nats', MQTT_ADMIN_URL: `${adminUrl}/` };
    expect(loadCloudConfig({ environment }).externalBroker).toEqual({
      url: 'mqtts://broker.example',
      kind: 'nats',
      adminUrl,
      ca: null,
    });
  });

  it.each([
    [{ MQTT_URL: 'mqtt://broker' }, /^MQTT_KIND: missing beside MQTT_URL; allowed: mosquitto/],
    [{ MQTT_KIND: 'mosquitto' }, /^MQTT_URL: missing beside MQTT_KIND/],
    [{ MQTT_CA: '/ca.pem' }, /^MQTT_URL: missing beside MQTT_CA/],
    [{ MQTT_URL: 'mqtt://broker', MQTT_KIND: 'rabbit' }, /^MQTT_KIND .* is not allowed; allowed: mosquitto, nats$/],
    [{ MQTT_URL: 'mqtt://broker/topic', MQTT_KIND: 'mosquitto' }, /^MQTT_URL .* is not allowed/],
    [{ MQTT_URL: 'mqtt://u:%zz@broker', MQTT_KIND: 'mosquitto' }, /^MQTT_URL .* is not allowed/],
    [{ MQTT_ADMIN_URL: 'nats://a' }, /^MQTT_URL: missing beside MQTT_ADMIN_URL/],
    [{ MQTT_URL: 'mqtt://b', MQTT_KIND: 'nats' }, /^MQTT_ADMIN_URL: missing beside MQTT_KIND nats; allowed: addresses/],
    [{ MQTT_URL: 'mqtt://b', MQTT_KIND: 'mosquitto', MQTT_ADMIN_URL: 'nats://a' }, /^MQTT_ADMIN_URL: of no use with/],
    [{ MQTT_URL: 'mqtt://b', MQTT_KIND: 'nats', MQTT_ADMIN_URL: 'http://a' }, /^MQTT_ADMIN_URL .* is not allowed/],
    [{ MQTT_URL: 'mqtt://b', MQTT_KIND: 'nats', MQTT_ADMIN_URL: 'nats://a?x' }, /^MQTT_ADMIN_URL .* is not allowed/],
    [{ MQTT_URL: 'mqtt://b', MQTT_KIND: 'nats', MQTT_ADMIN_URL: 'nats://a, x' }, /^MQTT_ADMIN_URL .* is not allowed/],
    [{ MQTT_URL: 'mqtt://u:p@b', MQTT_KIND: 'nats', MQTT_ADMIN_URL: 'nats://a' }, /^MQTT_URL: it names a user/],
  ])('refuses half of an external broker, or none: %j', (environment, words) => {
    expect(problemsOf({ environment })).toEqual([expect.stringMatching(words)]);
  });

  it('refuses two listeners on one port, but any two free ones', () => {
    expect(problemsOf({ environment: { PORT: '1883' } })).toEqual([
      expect.stringMatching(/^MQTT_PORT: 1883 is PORT's too/),
    ]);
    expect(problemsOf({ environment: { PORT: '0', MQTT_PORT: '0' } })).toEqual([]);
  });

  it('refuses a file that is not there or holds no settings', () => {
    expect(problemsOf({ configFile: join(directory, 'none.env'), environment: {} })[0]).toMatch(
      /^--config .*none\.env: cannot/,
    );
    expect(problemsOf({ configFile: file('list.yaml', '- a\n'), environment: {} })[0]).toMatch(
      /list\.yaml: it must hold lines of the form NAME: value/,
    );
  });

  it('derives the public addresses from the listeners unless they are given', () => {
    const config = loadCloudConfig({ environment: { HOST: '0.0.0.0' } });
    expect(publicAddresses(config, { http: 8123, mqtt: 1999 })).toEqual({
      baseUrl: 'http://127.0.0.1:8123',
      mqttUrl: 'mqtt://127.0.0.1:1999',
    });
    const ipv6 = loadCloudConfig({ environment: { HOST: 'fe80::1' } });
    expect(publicAddresses(ipv6, { http: 80, mqtt: 1883 })).toEqual({
      baseUrl: 'http://[fe80::1]:80',
      mqttUrl: 'mqtt://[fe80::1]:1883',
    });
    const named = loadCloudConfig({
      environment: { BASE_URL: 'https://parking.example', MQTT_PUBLIC_URL: 'mqtts://b.example:8883' },
    });
    expect(publicAddresses(named, { http: 1, mqtt: 2 })).toEqual({
      baseUrl: 'https://parking.example',
      mqttUrl: 'mqtts://b.example:8883',
    });
    expect(publicAddresses({ ...named, mqttPublicUrl: null }, { http: 1, mqtt: 2 }).mqttUrl).toBe(
      'mqtt://parking.example:2',
    );
  });

  it('speaks TLS with both files, and says so in its addresses', () => {
    const tls = loadCloudConfig({
      environment: { TLS_CERT: '/c.pem', TLS_KEY: '/k.pem', MQTT_TLS_CERT: '/mc.pem', MQTT_TLS_KEY: '/mk.pem' },
    });
    expect(tls.tls).toEqual({
      cert: { setting: 'TLS_CERT', path: '/c.pem' },
      key: { setting: 'TLS_KEY', path: '/k.pem' },
    });
    expect(publicAddresses(tls, { http: 8443, mqtt: 8883 })).toEqual({
      baseUrl: 'https://127.0.0.1:8443',
      mqttUrl: 'mqtts://127.0.0.1:8883',
    });
    expect(problemsOf({ environment: { TLS_CERT: '/c.pem' } })).toEqual([
      'TLS_KEY: missing beside TLS_CERT; allowed: both, or neither',
    ]);
    expect(problemsOf({ environment: { MQTT_TLS_KEY: '/mk.pem' } })).toEqual([
      'MQTT_TLS_CERT: missing beside MQTT_TLS_KEY; allowed: both, or neither',
    ]);
  });

  it('takes origins as browsers write them', () => {
    const origins = (CORS_ORIGINS: string) => loadCloudConfig({ environment: { CORS_ORIGINS } }).corsOrigins;
    expect(origins('')).toEqual([]);
    expect(origins('https://Console.example:443, http://localhost:5173,http://[::1]:80')).toEqual([
      'https://console.example',
      'http://localhost:5173',
      'http://[::1]',
    ]);
    expect(origins('https://console.example/')).toEqual(['https://console.example']);
    for (const wrong of [...WITH_MORE('https'), '*', 'https://[x', 'ftp://console.example', 'console.example']) {
      const environment = { CORS_ORIGINS: `http://localhost:5173, ${wrong}` };
      expect(problemsOf({ environment })).toEqual([
        expect.stringMatching(
          /^CORS_ORIGINS .* is not allowed; allowed: origins like https:\/\/console.example \(no path/,
        ),
      ]);
    }
  });

  it('knows proxies by address and network', () => {
    const proxies = (TRUSTED_PROXIES: string) => loadCloudConfig({ environment: { TRUSTED_PROXIES } }).trustedProxies;
    expect(proxies('')).toEqual([]);
    expect(proxies('192.0.2.7, 10.0.0.0/8,fd00::/8 ,::1')).toEqual(['192.0.2.7', '10.0.0.0/8', 'fd00::/8', '::1']);
    for (const wrong of ['proxy.example', '10.0.0.0/33', 'fd00::/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0/8', '*']) {
      expect(problemsOf({ environment: { TRUSTED_PROXIES: `127.0.0.1,${wrong}` } })).toEqual([
        `TRUSTED_PROXIES (environment): "127.0.0.1,${wrong}" is not allowed; allowed: addresses and networks like 192.0.2.7, 10.0.0.0/8, fd00::/8, with commas between them`,
      ]);
    }
  });

  it('lets user tokens live for a day to ten years', () => {
    const days = (USER_TOKEN_DAYS: string) => loadCloudConfig({ environment: { USER_TOKEN_DAYS } }).userTokenDays;
    expect([days('1'), days('3650')]).toEqual([1, 3_650]);
    for (const wrong of ['0', '3651', '1.5', 'never']) {
      expect(problemsOf({ environment: { USER_TOKEN_DAYS: wrong } })).toEqual([
        `USER_TOKEN_DAYS (environment): "${wrong}" is not allowed; allowed: a whole number from 1 to 3650`,
      ]);
    }
  });

  it('tells measurements to everybody only where that is said in so many words', () => {
    const isPublic = (METRICS_PUBLIC: string) => loadCloudConfig({ environment: { METRICS_PUBLIC } }).metricsPublic;
    expect([isPublic('true'), isPublic('false'), isPublic('')]).toEqual([true, false, false]);
    expect(problemsOf({ environment: { METRICS_PUBLIC: 'yes' } })).toEqual([
      'METRICS_PUBLIC (environment): "yes" is not allowed; allowed: false, true',
    ]);
  });

  it('names flags after settings', () => {
    expect(flagOfSetting('RATE_LOGIN_FAILURES_PER_MIN')).toBe('--rate-login-failures-per-min');
    const flags = { rateLoginFailuresPerMin: '0' };
    expect(loadCloudConfig({ environment: {}, flags }).rateLoginFailuresPerMin).toBe(0);
  });
});
