/** `parking-sim serve`: the test double as a program. */
import { pino } from 'pino';
import { SiteFileError } from '../../../cloud/doors/site-file/site-file-error.js';
import { readSiteText } from '../../../cloud/doors/site-file/site-file-text.js';
import { DONE, FAILED, printError, WRONG_USE } from '../../../shared/node/program.js';
import { SettingsError } from '../../../shared/settings.js';
import { createDouble, type Double } from './create-double.js';
import { type DoubleCommandLine, parseDoubleCommandLine } from './double-command-line.js';

/**
 * Runs until a signal asks it to stop; a second signal ends the process at once.
 * @param argv what follows `serve`
 * @returns the exit code
 */
export async function serve(argv: string[]): Promise<number> {
  const commandLine = parseDoubleCommandLine(argv);
  if ('exitCode' in commandLine) return commandLine.exitCode;
  // Signals are handled from the beginning, so that a start in progress is ended cleanly too.
  const stopped = stopSignal();
  try {
    const double = await start(commandLine);
    process.stdout.write(commandLine.json ? `${JSON.stringify(readyLine(double))}\n` : greeting(double));
    await stopped;
    await double.close();
    return DONE;
  } catch (error) {
    const isBadInput = error instanceof SiteFileError || error instanceof SettingsError;
    printError('parking-sim', error, commandLine);
    return isBadInput ? WRONG_USE : FAILED;
  }
}

async function start({ site, freePorts, debug, ...options }: DoubleCommandLine): Promise<Double> {
  const text = await readSiteText(site);
  // Faults on request are not logged.
  const logger = pino({ level: debug ? 'debug' : 'error' }, pino.destination({ dest: 2, sync: true }));
  return createDouble({ ...options, site: { name: site, text }, freeDevicePorts: freePorts, logger });
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(FAILED));
        resolve();
      });
    }
  });
}

/** The line for a program that started the double. */
function readyLine({ baseUrl, controlUrl, tokens, made }: Double) {
  const realtimeUrl = `${baseUrl.replace(/^http/, 'ws')}/v2/realtime`;
  return {
    ready: true,
    /** npx does not pass signals on: whoever wants to stop the double from outside needs this. */
    pid: process.pid,
    base_url: baseUrl,
    realtime_url: realtimeUrl,
    control_url: controlUrl,
    api_tokens: tokens,
    made: made(),
  };
}

function greeting(double: Double): string {
  const { base_url, realtime_url, control_url, api_tokens, made } = readyLine(double);
  const lines = [
    'Ready.',
    `  REST      ${base_url}/v2   (document ${base_url}/docs)`,
    `  realtime  ${realtime_url}`,
    `  control   ${control_url}   (curl ${control_url}/ lists everything)`,
    ...api_tokens.map(({ account, name, token }) => `  token     ${token}   ${name} of ${account}`),
    ...made.map(({ what, of, secret }) => `  ${what.padEnd(9)} ${secret}   of ${of}`),
  ];
  return `${lines.join('\n')}\n`;
}
