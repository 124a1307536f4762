/** What every dialogue about a mail is held to. */
import { expect } from 'vitest';
import type { SmtpDialogue } from '../../world/smtp-recorder.js';

/** The address in the form in which all ways to write its domain are the same. */
export function asciiOf(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}@${new URL(`http://${address.slice(at + 1)}`).hostname}`;
}

const DIALOGUE = [
  /^EHLO \S+$/,
  /^MAIL FROM:<parking@harbour\.example>(?: [A-Z0-9=]+)*$/,
  /^RCPT TO:<[^<>\p{Cc}]+>$/u,
  /^DATA$/,
  /^QUIT$/,
];

/** Whether it is the beginning of the one dialogue that there is for one mail: nothing twice, and nothing else. */
export function expectOneMail({ commands, messages }: SmtpDialogue): void {
  const unexpected = commands.filter((line, index) => {
    const isEnd = index === commands.length - 1 && line === 'QUIT';
    return !isEnd && DIALOGUE[index]?.test(line) !== true;
  });
  expect([unexpected, commands.length <= DIALOGUE.length, messages.length <= 1], JSON.stringify(commands)).toEqual([
    [],
    true,
    true,
  ]);
}

/** The receivers that the server was told, in the form of `asciiOf`. */
export const receiversOf = ({ commands }: SmtpDialogue): string[] =>
  commands.filter((line) => /^rcpt/i.test(line)).map((line) => asciiOf(line.slice('RCPT TO:<'.length, -1)));
