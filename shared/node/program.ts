/** How the programs start, speak and stop: their common options, their errors and exit codes, and the signals that stop them. */
import './connection-attempts.js';
import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { errorText } from '../error-text.js';
import { SettingsError } from '../settings.js';
import { VERSION } from '../version.js';
import { printable, printableLines } from './printable.js';

/** Exit codes (contract, "Run"). */
export const DONE = 0;
export const FAILED = 1;
export const WRONG_USE = 2;

/** The end of a command's help. @param lines as they would be typed */
export const examples = (...lines: string[]): string => `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;

/**
 * Gives a command, and those that are added to it later, the manners of all: `--version`, an error of use that is one line and says what to
 * do, and an end by a CommanderError, for which `exitCodeOf` has the exit code.
 */
export function mannered(command: Command): Command {
  return command
    .version(VERSION, '--version', 'print the version')
    .configureOutput({
      outputError: (text, write) => write(`${command.name()}: ${printable(useErrorLine(text))}\n`),
    })
    .exitOverride();
}

/** The exit code after commander has printed a help, a version or an error of use. @throws what is none of these */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof CommanderError)) throw error;
  return error.exitCode === 0 ? DONE : WRONG_USE;
}

/** Prints a result for people to standard output: lines that cannot steer the terminal. */
export const printLines = (text: string): void => void process.stdout.write(`${printableLines(text)}\n`);

/** Prints what is no result to standard error, in the same way. */
export const noteLines = (text: string): void => void process.stderr.write(`${printableLines(text)}\n`);

/** `unknown option '--jsn' (did you mean --json?)`, of two lines that commander has for it. */
function useErrorLine(text: string): string {
  const [first = '', ...others] = text.trim().split('\n');
  const hint = others.join(' ').replace(/^\(Did/, '(did');
  return `${first.replace(/^error: /, '')}${hint === '' ? '' : ` ${hint}`}; --help shows what is allowed`;
}

/**
 * Prints why a program failed: one line, or one for each problem of its input; with `debug` all that is known. Text
 * from others cannot steer the terminal.
 */
export function printError(
  name: string,
  error: unknown,
  { debug = false }: { debug?: boolean | undefined } = {},
): void {
  const problems =
    error instanceof Error && 'problems' in error && Array.isArray(error.problems) ? error.problems : null;
  const lines = problems?.map(String) ?? [errorText(error).replaceAll(/\s*\n\s*/g, '; ')];
  const text = debug && error instanceof Error ? `${name}: ${inspect(error)}\n` : linesOf(name, lines);
  process.stderr.write(text);
}

const linesOf = (name: string, lines: readonly string[]): string =>
  lines.map((line) => `${name}: ${printable(line)}\n`).join('');

/** Whoever reads the output may stop to: `parking-agent logs | head`. That is no failure; an output that takes no more is one. */
export function endWithReader(name: string): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(process.exitCode ?? DONE);
      if (stream === process.stdout) printError(name, new Error(`the output takes no more: ${errorText(error)}`));
      process.exit(FAILED);
    });
}

/** Creates a program with `--config` and `--debug`. An unknown option or command exits with code 2. */
export function createProgram(name: string, description: string): Command {
  return mannered(new Command(name))
    .description(description)
    .option(
      '--config <file>',
      'settings from this .env or YAML file, not from the .env in the working directory; the environment goes before it',
    )
    .option('--debug', 'show all of an error');
}

/** Adds the command `version`, and runs the command line. */
export function runProgram(program: Command): void {
  program
    .command('version')
    .description('print the version')
    .addHelpText('after', examples(`${program.name()} version`))
    .action(() => printLines(VERSION));
  runCommandLine(program);
}

/** Runs the command line, and ends the process. The exit code is `process.exitCode` when it is set, and 2 when it was used wrongly (SettingsError). */
export function runCommandLine(program: Command): void {
  endWithReader(program.name());
  program.parseAsync().then(
    () => endSoon(process.exitCode),
    (error: unknown) => {
      if (error instanceof CommanderError) return endSoon(exitCodeOf(error));
      printError(program.name(), error, program.opts<{ debug?: boolean }>());
      return endSoon(error instanceof SettingsError ? WRONG_USE : FAILED);
    },
  );
}

/** An output that takes no more says so a moment later. */
function endSoon(exitCode: typeof process.exitCode): void {
  process.exitCode = exitCode ?? DONE;
  setImmediate(() => process.exit());
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
