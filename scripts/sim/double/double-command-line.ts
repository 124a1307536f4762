/** The checked command line of `parking-sim serve`. */
import { Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { examples, exitCodeOf, mannered } from '../../../shared/node/program.js';
import { controlRefusal } from '../control/listen-control.js';

export interface DoubleCommandLine {
  site: string;
  host: string;
  port: number;
  controlPort: number;
  controlToken?: string;
  freePorts: boolean;
  /** Milliseconds since 1970; undefined: the machine's time. */
  startMs: number | undefined;
  dataDir: string | undefined;
  json: boolean;
  debug: boolean;
}

interface RawOptions {
  site: string;
  host: string;
  port: number;
  controlPort: number;
  controlToken?: string;
  freePorts?: boolean;
  now?: number;
  dataDir?: string;
  json?: boolean;
  debug?: boolean;
}

/**
 * @param argv what follows `serve`
 * @returns the settings to run with, or the exit code when there is nothing to do: commander has said why
 */
export function parseDoubleCommandLine(argv: string[]): DoubleCommandLine | { exitCode: number } {
  const command = mannered(new Command('parking-sim serve'))
    .description('The whole service with a simulated car park in one process: a test double for integrators.')
    .requiredOption('--site <file>', 'the site file (YAML) that it begins with')
    .option('--host <address>', 'where it listens', '127.0.0.1')
    .option('--port <port>', 'of REST and realtime; 0: any free one', port, 8080)
    .option('--control-port <port>', 'where it is steered over HTTP; 0: any free one', port, 8095)
    .option('--control-token <text>', 'what callers of the control interface have to send as Authorization: Bearer')
    .option('--free-ports', 'a free port for everything, for cameras, sensors and displays too')
    .option('--now <time>', 'the time at which it begins (ISO 8601); left out: the present', time)
    .option('--data-dir <directory>', 'keeps what it wrote in this directory, empty or not there; left out: nothing')
    .option('--json', 'one line of JSON when it is ready')
    .option('--debug', 'show everything that happens, and the whole of errors')
    .addHelpText(
      'after',
      examples('parking-sim serve --site site.yaml', 'parking-sim serve --site site.yaml --free-ports --json'),
    );
  try {
    const {
      now,
      freePorts = false,
      json = false,
      debug = false,
      ...raw
    } = command.parse(argv, { from: 'user' }).opts<RawOptions>();
    const refusal = controlRefusal({ host: raw.host, token: raw.controlToken });
    if (refusal !== null) command.error(`error: ${refusal}`);
    const ports = freePorts ? { port: 0, controlPort: 0 } : {};
    return { ...raw, dataDir: raw.dataDir, ...ports, freePorts, startMs: now, json, debug };
  } catch (error) {
    return { exitCode: exitCodeOf(error) };
  }
}

function port(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > 65_535) throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return number;
}

function time(text: string): number {
  if (!z.iso.datetime({ offset: true }).safeParse(text).success)
    throw new InvalidArgumentError('It must be a time, for instance 2026-12-24T18:00:00Z.');
  return Date.parse(text);
}
