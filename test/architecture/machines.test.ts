/** What runs the cloud on several machines: units of systemd, the load balancer's configuration, the file for containers. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findProgram } from '../../scripts/machines/find-programs.js';

/** The project's root, from dist/test/architecture/. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MACHINES = join(ROOT, 'scripts', 'machines');
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');

interface Service {
  image?: string;
  environment?: Record<string, string>;
  depends_on?: string[] | Record<string, unknown>;
  volumes?: string[];
  networks?: string[];
}
interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  networks: Record<string, unknown>;
}

describe('compose.yaml', () => {
  const compose = parse(read('scripts', 'machines', 'compose.yaml'), { merge: true }) as Compose;
  const services = Object.entries(compose.services);

  it.each(services)('%s refers to what is there', (_name, service) => {
    expect(service.image).toBeTypeOf('string');
    const needed = Array.isArray(service.depends_on) ? service.depends_on : Object.keys(service.depends_on ?? {});
    expect(needed.filter((other) => !(other in compose.services))).toEqual([]);
    const volumes = (service.volumes ?? []).map((each) => each.split(':')[0] ?? '');
    expect(volumes.filter((each) => !each.startsWith('./') && !(each in compose.volumes))).toEqual([]);
    expect((service.networks ?? []).filter((each) => !(each in compose.networks))).toEqual([]);
  });

  it('gives the clouds settings that they know', () => {
    const rows = read('shared', 'contract', 'run.md').matchAll(/^\| `([A-Z_]+)` \|/gm);
    const known = new Set([...rows].map(([, name]) => name));
    const given = services
      .filter(([, { image }]) => image === 'parking-cloud')
      .flatMap(([, { environment }]) => Object.keys(environment ?? {}));
    expect(given.length).toBeGreaterThan(20);
    expect(given.filter((name) => !known.has(name))).toEqual([]);
  });

  it('gives a cloud that stops the time in which the load balancer notices, as do scripts/cluster and the unit', () => {
    const delays = [
      compose.services['cloud-1']?.environment?.['STOP_DELAY_MS'],
      compose.services['cloud-2']?.environment?.['STOP_DELAY_MS'],
      /STOP_DELAY_MS = ([\d_]+);/.exec(read('scripts', 'start-cluster.ts'))?.[1]?.replace('_', ''),
      /^Environment=STOP_DELAY_MS=(\d+)$/m.exec(read('systemd', 'parking-cloud@.service'))?.[1],
    ];
    expect(delays).toEqual(['5000', '5000', '5000', '5000']);
  });

  it('gives the load balancer every address that it asks for', () => {
    const asked = [...read('scripts', 'machines', 'haproxy.cfg').matchAll(/"\$\{(\w+)\}"/g)].map(([, name]) => name);
    expect(Object.keys(compose.services['balancer']?.environment ?? {}).toSorted()).toEqual(asked.toSorted());
  });

  it.runIf(spawnSync('docker', ['compose', 'version']).status === 0)('is one for Docker', () => {
    const env = { PATH: process.env['PATH'], SERVER_KEY: '0'.repeat(64), POSTGRES_PASSWORD: 'secret' };
    execFileSync('docker', ['compose', '-f', join(MACHINES, 'compose.yaml'), 'config', '--quiet'], {
      env,
      stdio: 'pipe',
    });
  });
});

const haproxy = findProgram('haproxy');
it.runIf(haproxy !== null)('haproxy.cfg is one for HAProxy', () => {
  const clouds = ['CLOUD_1', 'CLOUD_2', 'CLOUD_TERMINALS_1', 'CLOUD_TERMINALS_2'];
  const places = ['HTTP_LISTEN', 'MQTT_LISTEN', 'TERMINAL_LISTEN', ...clouds, 'NATS_1', 'NATS_2', 'NATS_3'];
  const env = Object.fromEntries(places.map((name, index) => [name, `127.0.0.1:${index + 1}`]));
  execFileSync(haproxy ?? '', ['-c', '-f', join(MACHINES, 'haproxy.cfg')], { env, stdio: 'pipe' });
});

const analyze = findProgram('systemd-analyze') ?? '/usr/bin/systemd-analyze';
it.runIf(spawnSync(analyze, ['--version']).status === 0)('the units are such for systemd', () => {
  const units = readdirSync(join(ROOT, 'systemd')).filter((name) => /\.(service|path)$/.test(name));
  expect(units).toContain('parking-cloud@.service');
  const paths = units.map((name) => join(ROOT, 'systemd', name));
  const { stderr } = spawnSync(analyze, ['verify', '--man=no', ...paths], { encoding: 'utf8' });
  // The program is installed on the device, not here.
  expect(stderr.split('\n').filter((line) => line !== '' && !/is not executable/.test(line))).toEqual([]);
});
