/** The programs as they describe themselves. */
import { execFile, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { commandsOf, optionsOf } from './help-text.js';
import { code, type Table } from './markdown-page.js';
import type { Outcome, Tried } from './print-helps.js';

export const PROGRAMS = {
  'parking-cloud': 'cloud/main.js',
  'parking-agent': 'agent/main.js',
  'parking-sim': 'scripts/sim/main.js',
} as const;
export type Program = keyof typeof PROGRAMS;

export const fileOf = (program: Program): string =>
  fileURLToPath(new URL(`../../../${PROGRAMS[program]}`, import.meta.url));

/** Nobody listens at that port, so that no other program of this machine is asked. */
const environmentIn = (directory: string) => ({
  PATH: process.env.PATH,
  AGENT_DATA_DIR: directory,
  DATA_DIR: directory,
  AGENT_HTTP_PORT: '1',
});

/** Runs the built program to its end, in its own environment. */
export function runProgram(program: Program, args: readonly string[], directory: string): Promise<Outcome> {
  const settings = { cwd: directory, env: environmentIn(directory) };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [fileOf(program), ...args], settings, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : error.code;
      if (typeof exitCode === 'number') resolve({ exitCode, stdout, stderr });
      else reject(error);
    });
  });
}

/**
 * Every command of a program by its words, with its help.
 * @param choice `wrong`: also with what comes of an option that there is not
 */
export function tryCommands(program: Program, directory: string, choice?: 'wrong'): Promise<Record<string, Tried>> {
  const asker = fileURLToPath(new URL('./print-helps.js', import.meta.url));
  const args = [fileOf(program), ...(choice === undefined ? [] : [choice])];
  const env = environmentIn(directory);
  const child = fork(asker, args, { cwd: directory, env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const said: string[] = [];
  child.stderr?.on('data', (text: Buffer) => said.push(String(text)));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('message', (tried) => resolve(tried as Record<string, Tried>));
    child.on('close', () => reject(new Error(`${program} printed no help: ${said.join('')}`)));
  });
}

/** A program's own help; it is asked for once. */
export interface ProgramHelp {
  /** Options that come before the command. */
  commonOptions(): Promise<string[]>;
  /**
   * One row for each thing the program does: `apply <file>`, with its options.
   * @param groups commands that have others below them
   */
  commands(groups: ReadonlySet<string>): Promise<Table>;
}

export function createProgramHelp(program: Program, directory: string): ProgramHelp {
  let asked: Promise<Record<string, Tried>> | undefined;
  async function helpOf(words: readonly string[]): Promise<string> {
    const name = words.join(' ');
    const help = (await (asked ??= tryCommands(program, directory)))[name]?.help.stdout;
    if (help === undefined) throw new Error(`${program} has no command ${name}`);
    return `${help}\n`;
  }

  async function rowsBelow(words: readonly string[], groups: ReadonlySet<string>): Promise<string[][]> {
    const rows: string[][] = [];
    for (const { name, hasOptions, argumentNames } of commandsOf(await helpOf(words))) {
      const own = [...words, name];
      if (groups.has(own.join(' '))) rows.push(...(await rowsBelow(own, groups)));
      else
        rows.push([
          code([program, ...own, ...argumentNames].join(' ')),
          hasOptions ? optionsText(await helpOf(own)) : '',
        ]);
    }
    return rows;
  }

  return {
    commonOptions: async () => optionsOf(await helpOf([])),
    async commands(groups) {
      const help = await helpOf([]);
      // commander says `[command]` of a program that does nothing without one.
      const isCommandItself = !/^Usage: .*\[command\]/m.test(help);
      const own = isCommandItself ? [[code(program), optionsText(help)]] : [];
      return { header: ['Command', 'Options'], rows: [...own, ...(await rowsBelow([], groups))] };
    },
  };
}

const optionsText = (help: string): string => optionsOf(help).map(code).join(' ');
