import { afterEach, describe, expect, it, vi } from 'vitest';
import type { GatewayUuid } from '../../../shared/ids.js';
import { agentUrlOf } from '../../../scripts/sim/agent-addresses.js';
import { parseCommandLine } from '../../../scripts/sim/command-line.js';
import { parseDoubleCommandLine } from '../../../scripts/sim/double/double-command-line.js';

const NORTH = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01' as GatewayUuid;
const SOUTH = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c02' as GatewayUuid;
const REQUIRED = ['--site', 'site.yaml', '--radio', '/run/radio', '--control', '127.0.0.1:9100'];

describe('parseCommandLine', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('takes one agent for all', () => {
    const parsed = parseCommandLine([...REQUIRED, '--agent', 'http://127.0.0.1:8090']);
    if ('exitCode' in parsed) throw new Error('not taken');
    expect(parsed).toMatchObject({
      site: 'site.yaml',
      radio: '/run/radio',
      control: { host: '127.0.0.1', port: 9100 },
      latencyMs: 0,
      debug: false,
    });
    expect(agentUrlOf(parsed.agents, NORTH)).toBe('http://127.0.0.1:8090');
    expect(agentUrlOf(parsed.agents, null)).toBe('http://127.0.0.1:8090');
  });

  it('takes an agent for each gateway', () => {
    const agents = ['--agent', `${NORTH}=http://127.0.0.1:8090/?a=b`, '--agent', `${SOUTH}=http://[::1]:8091`];
    const parsed = parseCommandLine([...REQUIRED, ...agents, '--control', '[::1]:9100', '--latency', '7.5', '--debug']);
    if ('exitCode' in parsed) throw new Error('not taken');
    expect(agentUrlOf(parsed.agents, NORTH)).toBe('http://127.0.0.1:8090/?a=b');
    expect(agentUrlOf(parsed.agents, SOUTH)).toBe('http://[::1]:8091');
    expect(agentUrlOf(parsed.agents, null)).toBeNull();
    expect(parsed).toMatchObject({ debug: true, latencyMs: 7.5, control: { host: '::1', port: 9100 } });
  });

  it('is steered from beyond this machine with a token alone', () => {
    const error = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const all = [...REQUIRED, '--control', '0.0.0.0:9100'];
    expect(parseCommandLine(all)).toEqual({ exitCode: 2 });
    expect(error.mock.calls.join('')).toContain('listen on 127.0.0.1, or give --control-token');
    expect(parseCommandLine([...all, '--control-token', 'short'])).toEqual({ exitCode: 2 });
    const token = 'a-token-of-sixteen';
    expect(parseCommandLine([...all, '--control-token', token])).toMatchObject({
      control: { host: '0.0.0.0', port: 9100, token },
    });
    const double = ['--site', 'site.yaml', '--host', '192.0.2.7'];
    expect(parseDoubleCommandLine(double)).toEqual({ exitCode: 2 });
    expect(parseDoubleCommandLine([...double, '--control-token', token])).toMatchObject({ controlToken: token });
  });

  it('takes an adapter in place of the emulated radio, and which product is on it', () => {
    const words = ['--site', 'site.yaml', '--control', '127.0.0.1:9100', '--hci', 'hci1', '--product', 'a4c138000002'];
    expect(parseCommandLine(words)).toMatchObject({ radio: null, hci: 1, product: 'a4c138000002' });
    expect(parseCommandLine(REQUIRED)).toMatchObject({ radio: '/run/radio', hci: null, product: null });
  });

  it('takes traffic, with its speed, its seed and the time at which it begins', () => {
    expect(parseCommandLine(REQUIRED)).toMatchObject({ traffic: null });
    expect(parseCommandLine([...REQUIRED, '--traffic'])).toMatchObject({
      traffic: { speed: 1, seed: null, from: null },
    });
    for (const words of [['--traffic', '20'], ['--traffic=20'], ['--traffic', '--speed', '20']])
      expect(parseCommandLine([...REQUIRED, ...words])).toMatchObject({ traffic: { speed: 20 } });
    expect(parseCommandLine([...REQUIRED, '--traffic', '0'])).toMatchObject({ traffic: { speed: 0 } });
    const words = ['--traffic', '--speed', '0.5', '--seed', '0', '--from', '07:30'];
    expect(parseCommandLine([...REQUIRED, ...words])).toMatchObject({ traffic: { speed: 0.5, seed: 0, from: 450 } });
  });

  it('does without an agent', () => {
    const parsed = parseCommandLine(REQUIRED);
    if ('exitCode' in parsed) throw new Error('not taken');
    expect(agentUrlOf(parsed.agents, NORTH)).toBeNull();
  });

  it.each([
    [['--site', 'site.yaml'], "required option '--control <host:port>'"],
    [['--site', 'site.yaml', '--control', '127.0.0.1:9100'], 'give either --radio PATH'],
    [[...REQUIRED, '--hci', 'hci1'], 'give either --radio PATH'],
    [[...REQUIRED, '--hci', 'usb1'], 'the name of an adapter'],
    [[...REQUIRED, '--agent', 'localhost:8090'], '"localhost:8090" is no address'],
    [[...REQUIRED, '--agent', 'North=http://127.0.0.1'], '"North" is no uuid'],
    [[...REQUIRED, '--control', '9100'], 'It must be HOST:PORT'],
    [[...REQUIRED, '--control', '127.0.0.1:99999'], 'It must be HOST:PORT'],
    [[...REQUIRED, '--latency', '-1'], 'It must be milliseconds'],
    [[...REQUIRED, '--latency', ''], 'It must be milliseconds'],
    [[...REQUIRED, '--volume', '2'], "unknown option '--volume'"],
    [[...REQUIRED, '--speed', '2'], '--speed says how traffic is: give --traffic, too'],
    [[...REQUIRED, '--from', '07:00'], '--from says how traffic is: give --traffic, too'],
    [[...REQUIRED, '--traffic', '61'], 'a number from 0 (stands still) to 60'],
    [[...REQUIRED, '--traffic', '2', '--speed', '2'], 'give --traffic SPEED alone'],
    [[...REQUIRED, '--traffic', '--speed', '61'], 'a number from 0 (stands still) to 60'],
    [[...REQUIRED, '--traffic', '--speed', 'fast'], 'a number from 0 (stands still) to 60'],
    [[...REQUIRED, '--traffic', '--seed', '-1'], 'a whole number from 0 to 2147483647'],
    [[...REQUIRED, '--traffic', '--from', '24:00'], 'a time of day'],
    [[...REQUIRED, 'more'], 'too many arguments'],
  ])('refuses %j as wrong use', (argv, reason) => {
    const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(parseCommandLine(argv)).toEqual({ exitCode: 2 });
    expect(String(printed.mock.calls[0]?.[0])).toContain(reason);
  });

  it('helps', () => {
    const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    expect(parseCommandLine(['--help'])).toEqual({ exitCode: 0 });
    expect(String(printed.mock.calls[0]?.[0])).toContain('--agent <url>');
  });
});
