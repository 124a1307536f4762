/** How the programs start and stop: their common options, their exit codes, and the signals that stop them. */
import './connection-attempts.js';
import { Command } from 'commander';
import { errorText } from '../error-text.js';
import { SettingsError } from '../settings.js';
import { VERSION } from '../version.js';

/** Exit codes (contract, "Run"). */
export const DONE = 0;
export const FAILED = 1;
export const WRONG_USE = 2;

/** Creates a program with `--config` and `--debug`. An unknown option or command exits with code 2. */
export function createProgram(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option(
      '--config <file>',
      'settings from this .env or YAML file, not from the .env in the working directory; the environment goes before it',
    )
    .option('--debug', 'show all of an error')
    .exitOverride((error) => {
      process.exit(error.exitCode === 0 ? DONE : WRONG_USE);
    });
}

/**
 * Adds the command `version`, runs the command line, and ends the process. The exit code is `process.exitCode` when it is set, and 2 when a
 * setting is wrong.
 */
export function runProgram(program: Command): void {
  program
    .command('version')
    .description('print the version')
    .action(() => void process.stdout.write(`${VERSION}\n`));
  program.parseAsync().then(
    () => process.exit(process.exitCode ?? DONE),
    (error: unknown) => {
      const all = program.opts<{ debug?: boolean }>().debug && error instanceof Error ? error.stack : undefined;
      process.stderr.write(`${program.name()}: ${all ?? errorText(error)}\n`);
      process.exit(error instanceof SettingsError ? WRONG_USE : FAILED);
    },
  );
}

/** Returns a signal that is aborted by the first SIGINT or SIGTERM, with an error that names it. A second one ends the process at once. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(FAILED));
      controller.abort(new Error(`stopped by ${signal}`));
    });
  }
  return controller.signal;
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
