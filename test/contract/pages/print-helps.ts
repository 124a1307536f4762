/** Preloaded into a program that commander runs: it does nothing but print the help of each of its commands, as JSON by their words. */
import { Command } from 'commander';

function helpsOf(command: Command, words: readonly string[]): [words: string, help: string][] {
  const own: [string, string] = [words.join(' '), command.helpInformation()];
  return [own, ...command.commands.flatMap((each) => helpsOf(each, [...words, each.name()]))];
}

Command.prototype.parseAsync = function (this: Command) {
  process.stdout.write(JSON.stringify(Object.fromEntries(helpsOf(this, []))));
  // What the program would do next is nothing that its help depends on.
  return new Promise(() => undefined);
};
