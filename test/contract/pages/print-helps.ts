/**
 * A program of its own, forked with another one as its argument: sends its parent the help of each command of that one, by their words. It
 * loads the other program anew for each command, which costs less than to start it as often.
 */
import { pathToFileURL } from 'node:url';
import { commandsOf } from './help-text.js';

const [, , file = ''] = process.argv;
const end = process.exit.bind(process);

/** What ends a program that has printed its help. */
class Ended extends Error {}

process.exit = () => {
  throw new Ended();
};
// A program that catches the failure of its end ends again.
process.on('unhandledRejection', (error) => {
  if (!(error instanceof Ended)) throw error;
});

async function helpOf(words: readonly string[]): Promise<string> {
  const said: string[] = [];
  process.stdout.write = (text: string | Uint8Array) => said.push(String(text)) > 0;
  process.argv = [process.execPath, file, ...words, '--help'];
  await import(`${pathToFileURL(file).href}?${words.join('+')}`).catch((error: unknown) => {
    if (!(error instanceof Ended)) throw error;
  });
  // A program that reads its command line in a later turn prints in it.
  await new Promise((resolve) => setImmediate(resolve));
  return said.join('');
}

async function helpsBelow(words: readonly string[]): Promise<[words: string, help: string][]> {
  const help = await helpOf(words);
  const helps: [string, string][] = [[words.join(' '), help]];
  for (const { name } of commandsOf(help)) helps.push(...(await helpsBelow([...words, name])));
  return helps;
}

const helps = await helpsBelow([]);
process.send?.(Object.fromEntries(helps), () => end(0));
