/** The manners of every command of every program, as the programs list them themselves: a new command is held to them without a line here. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../shared/version.js';
import { optionsOf } from './pages/help-text.js';
import type { Tried } from './pages/print-helps.js';
import { fileOf, PROGRAMS, type Program, runProgram, tryCommands } from './pages/program-tables.js';

/** How the descriptions of commands begin that print a list. */
const LISTS = /^(what every|every|which|what waits|the newest|show mails)\b/;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'command-manners-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe.each(Object.keys(PROGRAMS) as Program[])('every command of %s', (program) => {
  let tried: [command: string, tried: Tried][];
  beforeAll(async () => {
    tried = Object.entries(await tryCommands(program, directory, 'wrong')).map(([words, each]) => [
      `${program} ${words}`.trim(),
      each,
    ]);
  });
  /** The commands for which it does not hold. */
  const failing = (holds: (tried: Tried, command: string) => boolean) =>
    tried.filter(([command, each]) => !holds(each, command)).map(([command]) => command);
  /** Commands that only have others below them show these instead of examples. */
  const isGroup = ({ help }: Tried) => /^Usage: .*\[command\]/m.test(help.stdout);
  const descriptionOf = ({ help }: Tried) =>
    /^Usage: .*\n\n(?!Options:|Arguments:|Commands:)(.+)/.exec(help.stdout)?.[1];

  it('is there', () => {
    expect(tried.length).toBeGreaterThan(2);
    expect(tried.map(([command]) => command)).toContain(`${program} version`);
  });

  it('has a help with a description and an example, on standard output, and ends with 0', () => {
    expect(failing(({ help }) => help.exitCode === 0 && help.stderr === '')).toEqual([]);
    expect(failing((each) => descriptionOf(each) !== undefined)).toEqual([]);
    expect(failing((each) => isGroup(each) || each.help.stdout.includes(`\nExamples:\n  ${program}`))).toEqual([]);
  });

  it('is named rightly in its examples, with options that it has', () => {
    expect(
      failing(({ help }, command) => {
        const shown = help.stdout.split('\nExamples:\n')[1]?.match(/--[a-z-]+/g) ?? [];
        const known = new Set(optionsOf(help.stdout).map((option) => option.split(' ')[0]));
        const hasOwnName =
          !help.stdout.includes('\nExamples:\n') || help.stdout.split('\nExamples:\n')[1]!.includes(command);
        return (
          hasOwnName && (command === program || shown.every((option) => known.has(option) || option === '--config'))
        );
      }),
    ).toEqual([]);
  });

  it('has --json if it prints a list', () => {
    const lists = tried.filter(([, each]) => LISTS.test(descriptionOf(each) ?? '') && !isGroup(each));
    expect(lists.filter(([, { help }]) => !help.stdout.includes('--json')).map(([command]) => command)).toEqual([]);
    if (program === 'parking-agent') expect(lists.length).toBeGreaterThan(5);
  });

  it('answers a wrong option with one line that says what to do, and ends with 2', () => {
    const isOneLine = new RegExp(`^${program}[a-z ]*: [^\\n]+; --help shows what is allowed\\n$`);
    expect(
      failing(({ wrong }) => wrong?.exitCode === 2 && wrong.stdout === '' && isOneLine.test(wrong.stderr)),
    ).toEqual([]);
  });

  it('repeats nothing of it that a terminal would obey', () => {
    expect(failing(({ wrong }) => !/[^\P{Cc}\n]|\p{Cf}/u.test(wrong?.stderr ?? ''))).toEqual([]);
    expect(tried.filter(([, { wrong }]) => wrong?.stderr.includes("'--no-?[31m?2J?option'")).length).toBeGreaterThan(0);
  });

  it('prints the version of the program, wherever --version stands', async () => {
    for (const args of [['--version'], ['version', '--version']])
      expect(await runProgram(program, args, directory)).toEqual({ exitCode: 0, stdout: `${VERSION}\n`, stderr: '' });
  });

  it.each([['--help'], ['--version'], ['version']])('fails when the output takes no more: %s', async (word) => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [fileOf(program), word], { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    const said: string[] = [];
    child.stderr?.on('data', (text: Buffer) => said.push(String(text)));
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1);
    expect(said.join('')).toMatch(new RegExp(`^${program}: the output takes no more: [^\n]+\n$`));
  });

  it('needs neither settings nor a directory to say this, leaves nothing there, and has no colours', async () => {
    expect(failing(({ help, wrong }) => !`${help.stdout}${wrong?.stderr}`.includes('\u001b'))).toEqual([]);
    expect(await readdir(directory)).toEqual([]);
  });
});

describe('a program', () => {
  it('names the near command or option', async () => {
    const said = async (...args: string[]) => (await runProgram('parking-agent', args, directory)).stderr;
    expect(await said('prodcts')).toBe(
      "parking-agent: unknown command 'prodcts' (did you mean products?); --help shows what is allowed\n",
    );
    expect(await said('cameras', 'list', '--jsn')).toContain('(did you mean --json?)');
  });

  it.each(Object.keys(PROGRAMS) as Program[])(
    '%s ends quietly, with 0, when nobody reads what it prints',
    async (program) => {
      const child = spawn(process.execPath, [fileOf(program), 'version'], { stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.destroy();
      const said: string[] = [];
      child.stderr.on('data', (text: Buffer) => said.push(String(text)));
      const exitCode = await new Promise((resolve) => child.once('close', resolve));
      expect([exitCode, said.join('')]).toEqual([0, '']);
    },
  );

  it('says in one line what failed and what to do, and all with --debug', async () => {
    const { exitCode, stdout, stderr } = await runProgram('parking-agent', ['products', '--json'], directory);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^parking-agent: no gateway answers at [^\n]+: is parking-agent run running, [^\n]+\n$/);
    const all = await runProgram('parking-agent', ['--debug', 'products'], directory);
    expect(all.stderr).toMatch(/^parking-agent: [^\n]*no gateway answers[^]+\n +at [^]+cause/);
  });
});
