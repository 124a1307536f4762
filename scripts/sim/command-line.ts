/** The checked command line of parking-sim. */
import { Command, InvalidArgumentError } from 'commander';
import { gatewayUuidSchema } from '../../shared/ids.js';
import { examples, exitCodeOf, mannered, printLines } from '../../shared/node/program.js';
import { VERSION } from '../../shared/version.js';
import type { AgentAddresses } from './agent-addresses.js';
import { type ControlAddress, controlRefusal } from './control/listen-control.js';
import { SPEED_MAX } from './control/control-schemas.js';

const LATENCY_MS_MAX = 1_000;
export const SEED_MAX = 2 ** 31 - 1;

export interface SimCommandLine {
  site: string;
  agents: AgentAddresses;
  /** Unix socket of the emulated radio; null: a real adapter is used. */
  radio: string | null;
  /** The kernel's adapter that one product is on; null: the radio is emulated. */
  hci: number | null;
  /** The product that is on it; null: the first one. */
  product: string | null;
  control: ControlAddress;
  /** How long every packet on a link takes. */
  latencyMs: number;
  /** null: there is no traffic. */
  traffic: TrafficChoice | null;
  debug: boolean;
}

export interface TrafficChoice {
  /** How many times faster than the clock; 0: the traffic stands still until its speed is set. */
  speed: number;
  /** null: the program draws a seed and prints it. */
  seed: number | null;
  /** Minutes of the day at which it begins, by the lot's clock; null: now. */
  from: number | null;
}

interface RawOptions {
  site: string;
  agent?: AgentAddresses;
  radio?: string;
  hci?: number;
  product?: string;
  control: { host: string; port: number };
  controlToken?: string;
  latency: number;
  /** true: without a speed. */
  traffic?: number | true;
  speed?: number;
  seed?: number;
  from?: number;
  debug?: boolean;
}

function simCommand(): Command {
  return mannered(new Command('parking-sim'))
    .description('A car park to play with: products on an emulated radio, cameras that push to an agent.')
    .requiredOption('--site <file>', 'the site file (YAML) whose products and cameras to simulate')
    .option('--agent <url>', 'where cameras push to; repeats as UUID=URL, one per gateway', collectAgent)
    .option('--radio <path>', 'unix socket of the emulated radio; an agent joins with BLE_HCI=sim:PATH')
    .option('--hci <name>', 'instead of it a real adapter, hci0, hci1 ..., that one product is on', adapter)
    .option('--product <device_id>', 'the product that is on the adapter; the first one when left out')
    .requiredOption('--control <host:port>', 'where to steer it over HTTP', hostAndPort)
    .option(
      '--control-token <text>',
      'what its callers have to send as Authorization: Bearer; it may listen beyond this machine then',
    )
    .option('--latency <ms>', 'how long a packet takes on a link; Bluetooth itself takes 7.5 at least', latency, 0)
    .option(
      '--traffic [speed]',
      `members and strangers come and go by themselves, as on a day of that weekday; 0 to ${SPEED_MAX} times as fast as the clock, 1 when left out`,
      speed,
    )
    .option('--speed <factor>', 'the speed of --traffic, as an option of its own', speed)
    .option('--seed <number>', 'the same traffic again; without it another one each time, whose seed is printed', seed)
    .option(
      '--from <hh:mm>',
      "the time of day at which the traffic begins, by the lot's clock; now when left out",
      timeOfDay,
    )
    .option('--debug', 'show everything that happens, and the whole of errors')
    .addHelpText(
      'after',
      '\nCommands:\n  serve [options]  the whole service in one process, a test double for integrators\n  version          print the version\n',
    )
    .addHelpText(
      'after',
      examples(
        'parking-sim --site site.yaml --agent http://127.0.0.1:8090 --radio /tmp/radio --control 127.0.0.1:9100',
        'parking-sim serve --site site.yaml',
      ),
    );
}

/**
 * @param argv without the names of node and program
 * @returns what to do, or the exit code when there is nothing to do: commander has said why
 */
export function parseCommandLine(argv: string[]): SimCommandLine | { exitCode: number } {
  const command = simCommand();
  try {
    const given = command.parse(argv, { from: 'user' }).opts<RawOptions>();
    const { latency: latencyMs, radio = null, hci = null, product = null, controlToken, ...options } = given;
    const control = { ...options.control, token: controlToken };
    const refusal = controlRefusal(control);
    if (refusal !== null) command.error(`error: ${refusal}`);
    if ((radio === null) === (hci === null))
      command.error('error: give either --radio PATH, for an emulated radio, or --hci NAME, for an adapter');
    const { traffic, speed: factor, seed: ofTraffic, from, debug = false, ...places } = options;
    const needless = Object.entries({ speed: factor, seed: ofTraffic, from }).find(([, value]) => value !== undefined);
    if (traffic === undefined && needless !== undefined)
      command.error(`error: --${needless[0]} says how traffic is: give --traffic, too`);
    if (typeof traffic === 'number' && factor !== undefined)
      command.error('error: --speed says again how fast traffic is: give --traffic SPEED alone');
    return {
      ...places,
      control,
      radio,
      hci,
      product,
      agents: options.agent ?? { byGateway: new Map() },
      latencyMs,
      traffic:
        traffic === undefined
          ? null
          : {
              speed: factor ?? (traffic === true ? 1 : traffic),
              seed: ofTraffic ?? null,
              from: from ?? null,
            },
      debug,
    };
  } catch (error) {
    return { exitCode: exitCodeOf(error) };
  }
}

/** `parking-sim version`. @returns the exit code */
export function printVersion(argv: string[]): number {
  const command = mannered(new Command('parking-sim version'))
    .description('print the version')
    .addHelpText('after', examples('parking-sim version'))
    .action(() => printLines(VERSION));
  try {
    command.parse(argv, { from: 'user' });
    return 0;
  } catch (error) {
    return exitCodeOf(error);
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

function adapter(text: string): number {
  const [, index] = /^hci(\d{1,3})$/.exec(text) ?? [];
  if (index === undefined) throw new InvalidArgumentError('It must be the name of an adapter: hci0, hci1 ...');
  return Number(index);
}

function latency(text: string): number {
  const ms = Number(text);
  if (text.trim() === '' || !(ms >= 0 && ms <= LATENCY_MS_MAX)) {
    throw new InvalidArgumentError(`It must be milliseconds, from 0 to ${LATENCY_MS_MAX}.`);
  }
  return ms;
}

function speed(text: string): number {
  const factor = Number(text);
  if (text.trim() === '' || !(factor >= 0 && factor <= SPEED_MAX)) {
    throw new InvalidArgumentError(`It must be a number from 0 (stands still) to ${SPEED_MAX}.`);
  }
  return factor;
}

function seed(text: string): number {
  const number = Number(text);
  if (!/^\d{1,10}$/.test(text) || number > SEED_MAX) {
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${SEED_MAX}.`);
  }
  return number;
}

function timeOfDay(text: string): number {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(text) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59) {
    throw new InvalidArgumentError('It must be a time of day, for instance 07:30.');
  }
  return Number(hours) * 60 + Number(minutes);
}

function hostAndPort(text: string): { host: string; port: number } {
  const [, host, port] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) {
    throw new InvalidArgumentError('It must be HOST:PORT, for instance 127.0.0.1:9100.');
  }
  return { host, port: Number(port) };
}
