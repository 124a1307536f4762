import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandIo } from '../../../cloud/doors/cli/apply.js';
import { runNatsConfig } from '../../../cloud/doors/cli/broker-config.js';

let directory: string;
let printed: string[];
const io: CommandIo = {
  out: (line) => void printed.push(line),
  err: (line) => void printed.push(`! ${line}`),
  note: (line) => void printed.push(`! ${line}`),
};

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'broker-config-'));
  printed = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const write = (hosts: string[], to = directory) =>
  runNatsConfig({ directory: to, hosts }, (host) => `server ${host}\n`, io);

describe('the configuration of NATS', () => {
  it('is a file for each server, which its owner alone can read', () => {
    expect(write(['nats-1.example', '10.0.0.2', '2001:db8::3'], join(directory, 'new'))).toBe(0);
    const files = readdirSync(join(directory, 'new'));
    expect(files.toSorted()).toEqual(['10.0.0.2.conf', '2001-db8--3.conf', 'nats-1.example.conf']);
    for (const file of files) expect(statSync(join(directory, 'new', file)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(directory, 'new', 'nats-1.example.conf'), 'utf8')).toBe('server nats-1.example\n');
  });

  it('overwrites nothing, and writes none when one is there', () => {
    write(['b.example']);
    expect(write(['a.example', 'b.example', 'c.example'])).toBe(2);
    expect(printed.at(-1)).toMatch(/^! .*b\.example\.conf is there already, and nothing is overwritten/);
    expect(readdirSync(directory)).toEqual(['b.example.conf']);
  });

  it.each([
    [['a.example', 'b.example'], /cannot lose one of them: name one server, or three/],
    [['a.example', 'a.example', 'b.example'], /same name/],
    [['nats://a.example'], /nats:\/\/a\.example is no host name/],
    [['../x'], /is no host name/],
    [['a b'], /is no host name/],
  ])('refuses %j', (hosts, reason) => {
    expect(write(hosts)).toBe(2);
    expect(printed).toEqual([expect.stringMatching(reason)]);
    expect(readdirSync(directory)).toEqual([]);
  });
});
