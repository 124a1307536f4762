/** `parking-agent update [FILE]` */
import { resolve } from 'node:path';
import type { CheckedFile } from '../update/updates.js';
import { type GatewayPlace, orderGateway } from './local-client.js';

/** A large file on a slow stick is read once for its signature and once for its hash. */
const WITHIN_MS = 10 * 60_000;

/**
 * Has the running gateway check a bundle, and install it when that is wanted.
 * @param file undefined: the newest that is found on a stick
 * @param options.onChecked called with the effect of the file, for the person who decides
 * @param options.ask null: nobody is there to be asked
 * @throws Error that says why it cannot be installed, or was not
 */
export async function updateFrom(
  place: GatewayPlace,
  file: string | undefined,
  options: { isSure: boolean; onChecked(text: string): void; ask(question: string): Promise<boolean | null> },
): Promise<{ text: string; result: CheckedFile & { is_begun: boolean } }> {
  const path = file === undefined ? null : resolve(file);
  const send = (mode: 'check' | 'install', which: string | null) =>
    orderGateway<CheckedFile>(place, { path: '/update', body: { path: which, mode }, withinMs: WITHIN_MS });
  const checked = await send('check', path);
  options.onChecked(wordsOf(checked));
  if (!options.isSure) {
    const answer = await options.ask('Install it?');
    if (answer === null) throw new Error('nothing was installed: nobody can be asked here, so say --yes');
    if (!answer) return { text: 'Nothing was installed.', result: { ...checked, is_begun: false } };
  }
  await send('install', checked.path);
  return {
    text: 'It is installed in the background, and the device starts anew when nothing moves and nobody waits. parking-agent status says how far it is.',
    result: { ...checked, is_begun: true },
  };
}

function wordsOf({ path, version, installed, step }: CheckedFile): string {
  const words = { newer: 'newer than', older: 'OLDER than', same: 'the same as' };
  return `${path} is version ${version}, ${words[step]} what runs (${installed ?? 'not known'}). Its signature is right.`;
}
