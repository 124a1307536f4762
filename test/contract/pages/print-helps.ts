/**
 * A program of its own, forked with another one as its argument: sends its parent the help of each command of that one, by their words. It
 * loads the other program anew for each command, which costs less than to start it as often. With `wrong` as its second argument it also gives
 * each command an option that there is not, and sends what comes of it.
 */
import { pathToFileURL } from 'node:url';
import { commandsOf } from './help-text.js';

/** A program's output, and its end. */
export interface Outcome {
  exitCode: number;
  stdout: string;
  stderr: string;
}
/** The outcomes of a command; `wrong` is null when nobody asked for it. */
export interface Tried {
  help: Outcome;
  wrong: Outcome | null;
}

const [, , file = '', choice] = process.argv;
const end = process.exit.bind(process);
const writeError = process.stderr.write.bind(process.stderr);
/** Turns of the event loop in which a program ends, if it ends itself. */
const TURNS_MAX = 10;
/** An option that no command has, with characters that a terminal would obey. */
const NO_OPTION = '--no-\u001b[31m\u009b2J\u202eoption';
/** Each program that is loaded listens to the streams. */
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0);

/** The end of a program that has printed all that it wants to. */
class Ended extends Error {}

let outcome: Outcome | null = null;
process.exit = (code) => {
  // A program that catches the failure of its end ends again.
  if (outcome !== null) outcome.exitCode = Number(code ?? process.exitCode ?? 0);
  outcome = null;
  throw new Ended();
};
for (const event of ['unhandledRejection', 'uncaughtException'] as const)
  process.on(event, (error: unknown) => {
    if (!(error instanceof Ended)) throw error;
  });
process.stdout.write = (text: string | Uint8Array) => {
  if (outcome !== null) outcome.stdout += String(text);
  return true;
};
process.stderr.write = (text: string | Uint8Array) => {
  if (outcome !== null) outcome.stderr += String(text);
  return true;
};

async function outcomeOf(args: readonly string[]): Promise<Outcome> {
  const said: Outcome = { exitCode: 0, stdout: '', stderr: '' };
  outcome = said;
  process.exitCode = undefined;
  process.argv = [process.execPath, file, ...args];
  await import(`${pathToFileURL(file).href}?${args.join('+')}`).catch((error: unknown) => {
    if (!(error instanceof Ended)) throw error;
  });
  // A program that reads its command line in a later turn prints in it, and ends in another one.
  for (let turn = 0; turn < TURNS_MAX; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (outcome !== said) break;
  }
  if (outcome === said) said.exitCode = Number(process.exitCode ?? 0);
  outcome = null;
  return said;
}

async function triedBelow(words: readonly string[]): Promise<[words: string, tried: Tried][]> {
  const help = await outcomeOf([...words, '--help']);
  const wrong = choice === 'wrong' ? await outcomeOf([...words, NO_OPTION]) : null;
  const tried: [string, Tried][] = [[words.join(' '), { help, wrong }]];
  for (const { name } of commandsOf(help.stdout)) tried.push(...(await triedBelow([...words, name])));
  return tried;
}

const tried = await triedBelow([]).catch((error: unknown) => {
  writeError(`${String(error)}\n`);
  return end(1);
});
process.send?.(Object.fromEntries(tried), () => end(0));
