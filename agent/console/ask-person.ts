/** Asks the person at the terminal. */
import { createInterface } from 'node:readline/promises';
import { SettingsError } from '../../shared/settings.js';

/** @throws SettingsError when nobody is there to be asked, naming the options that answer instead */
export async function askPerson(question: string, instead: string): Promise<string> {
  const { stdin: input, stderr: output } = process;
  if (!input.isTTY) throw new SettingsError([`${instead}: needed where nobody can be asked`]);
  const lines = createInterface({ input, output });
  try {
    return (await lines.question(question)).trim();
  } finally {
    lines.close();
  }
}

/** Asks whether to go on; only y and yes mean it. @throws as `askPerson` does */
export const askWhether = async (question: string, instead: string): Promise<boolean> =>
  /^y(es)?$/i.test(await askPerson(`${question} [y/N] `, instead));
