/** The programs as they describe themselves, started with `--help` and with arguments that they cannot understand. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { code, type Table } from './markdown-page.js';

export const PROGRAMS = {
  'parking-cloud': 'cloud/main.js',
  'parking-agent': 'agent/main.js',
  'parking-sim': 'test/sim/main.js',
} as const;
export type Program = keyof typeof PROGRAMS;

export interface Ended {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs the built program to its end, in its own environment. @param preloaded a module that is loaded before it */
export function runProgram(
  program: Program,
  args: readonly string[],
  directory: string,
  preloaded?: URL,
): Promise<Ended> {
  const file = fileURLToPath(new URL(`../../../${PROGRAMS[program]}`, import.meta.url));
  // Nobody listens there, so that no other program of this machine is asked.
  const nowhere = { AGENT_HTTP_PORT: '1' };
  const environment = {
    PATH: process.env.PATH,
    AGENT_DATA_DIR: directory,
    DATA_DIR: directory,
    ...nowhere,
    ...(preloaded === undefined ? {} : { NODE_OPTIONS: `--import=${preloaded.href}` }),
  };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [file, ...args], { cwd: directory, env: environment }, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : error.code;
      if (typeof exitCode === 'number') resolve({ exitCode, stdout, stderr });
      else reject(error);
    });
  });
}

/** A program's own help; each part is asked for once. */
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
  const asked = new Map<string, Promise<string>>();
  const ask = async (words: readonly string[]) => (await runProgram(program, [...words, '--help'], directory)).stdout;

  /** Of the cloud, whose start takes a second; the others are bundled with their own commander, or are two programs in one. */
  let askedAll: Promise<Record<string, string>> | undefined;
  async function askAll(): Promise<Record<string, string>> {
    const preloaded = new URL('./print-helps.js', import.meta.url);
    const { exitCode, stdout, stderr } = await runProgram(program, [], directory, preloaded);
    if (stdout === '') throw new Error(`${program} printed no help, and ended with ${exitCode}: ${stderr}`);
    return JSON.parse(stdout) as Record<string, string>;
  }

  async function helpOf(words: readonly string[]): Promise<string> {
    const name = words.join(' ');
    if (program === 'parking-cloud') {
      const help = (await (askedAll ??= askAll()))[name];
      if (help === undefined) throw new Error(`${program} has no command ${name}`);
      return `${help}\n`;
    }
    const help = asked.get(name) ?? ask(words);
    asked.set(name, help);
    return `${await help}\n`;
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

/** The lines below `Commands:`, without the help itself. */
function commandsOf(help: string): { name: string; hasOptions: boolean; argumentNames: string[] }[] {
  const [, commands = ''] = /^Commands:\n((?: {2}.*\n?)*)/m.exec(help) ?? [];
  return [...commands.matchAll(/^ {2}(\w[\w-]*)((?: [[<]\S+)*)/gm)]
    .map(([, name = '', rest = '']) => ({
      name,
      hasOptions: rest.includes('[options]'),
      argumentNames: rest.split(' ').filter((word) => word.startsWith('<')),
    }))
    .filter(({ name }) => name !== 'help');
}

const optionsText = (help: string): string => optionsOf(help).map(code).join(' ');

function optionsOf(help: string): string[] {
  const [, options = ''] = /^Options:\n((?: {2}.*\n)*)/m.exec(help) ?? [];
  return [...options.matchAll(/^ {2}(?:-\w, )?(--\S+(?: (?:<[^>]+>|\[[^\]]+\]))?)/gm)]
    .map(([, option = '']) => option)
    .filter((option) => option !== '--help');
}
