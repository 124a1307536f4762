/** The checked command line of parking-sim. */
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { gatewayUuidSchema } from '../../shared/ids.js';
import type { AgentAddresses } from './agent-addresses.js';

const LATENCY_MS_MAX = 1_000;

export interface SimCommandLine {
  site: string;
  agents: AgentAddresses;
  radio: string;
  control: { host: string; port: number };
  /** How long every packet on a link takes. */
  latencyMs: number;
  debug: boolean;
}

interface RawOptions {
  site: string;
  agent?: AgentAddresses;
  radio: string;
  control: { host: string; port: number };
  latency: number;
  debug?: boolean;
}

/**
 * @param argv without the names of node and program
 * @returns what to do, or the exit code when there is nothing to do: commander has said why
 */
export function parseCommandLine(argv: string[]): SimCommandLine | { exitCode: number } {
  const command = new Command('parking-sim')
    .description('A car park to play with: products on an emulated radio, cameras that push to an agent.')
    .requiredOption('--site <file>', 'the site file (YAML) whose products and cameras to simulate')
    .option('--agent <url>', 'where cameras push to; repeats as UUID=URL, one per gateway', collectAgent)
    .requiredOption('--radio <path>', 'unix socket of the emulated radio; an agent joins with BLE_HCI=sim:PATH')
    .requiredOption('--control <host:port>', 'where to steer it over HTTP', hostAndPort)
    .option('--latency <ms>', 'how long a packet takes on a link; Bluetooth itself takes 7.5 at least', latency, 0)
    .option('--debug', 'show everything that happens, and the whole of errors')
    .addHelpText(
      'after',
      '\nCommands:\n  serve [options]  the whole service in one process, a test double for integrators',
    )
    .exitOverride();
  try {
    const { latency: latencyMs, ...options } = command.parse(argv, { from: 'user' }).opts<RawOptions>();
    return {
      ...options,
      agents: options.agent ?? { byGateway: new Map() },
      latencyMs,
      debug: options.debug ?? false,
    };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { exitCode: error.exitCode === 0 ? 0 : 2 };
  }
}

function collectAgent(text: string, previous: AgentAddresses | undefined): AgentAddresses {
  const agents = previous ?? { byGateway: new Map() };
  const [, name, url = text] = /^([^=:/]+)=(.*)$/.exec(text) ?? [];
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new InvalidArgumentError(`"${url}" is no address; give http://host:port or UUID=http://host:port.`);
  }
  if (name === undefined) return { ...agents, others: url };
  const uuid = gatewayUuidSchema.safeParse(name);
  if (!uuid.success) throw new InvalidArgumentError(`"${name}" is no uuid of a gateway; it must be in lower case.`);
  return { ...agents, byGateway: new Map([...agents.byGateway, [uuid.data, url]]) };
}

function latency(text: string): number {
  const ms = Number(text);
  if (text.trim() === '' || !(ms >= 0 && ms <= LATENCY_MS_MAX)) {
    throw new InvalidArgumentError(`It must be milliseconds, from 0 to ${LATENCY_MS_MAX}.`);
  }
  return ms;
}

function hostAndPort(text: string): { host: string; port: number } {
  const [, host, port] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) {
    throw new InvalidArgumentError('It must be HOST:PORT, for instance 127.0.0.1:9100.');
  }
  return { host, port: Number(port) };
}
