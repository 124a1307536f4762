/** Standard output, where the results of the subcommands go. */
import { noteLines } from '../shared/node/program.js';
import { terminalWidth } from '../shared/node/text-table.js';
import type { ResultOutput } from './console/watch-command.js';

/** @param name of the program, which stands before each note */
export const standardOutput = (name: string): ResultOutput => ({
  isTerminal: process.stdout.isTTY,
  get width() {
    return terminalWidth();
  },
  get height() {
    return process.stdout.rows || Infinity;
  },
  write: (text) => void process.stdout.write(text),
  note: (text) => noteLines(`${name}: ${text}`),
  // No other command needs the library.
  isRead: async () => (await import('./process/koffi-reader.cjs')).hasReader(process.stdout.fd),
});
