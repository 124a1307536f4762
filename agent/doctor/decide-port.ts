/** Reads the kernel's tables of sockets, and finds the program that listens at a port. Pure. */

const LISTENING = '0A';

/** Reads `/proc/net/tcp` or `tcp6`. @returns the inodes of the sockets that listen at the port */
export const listenersIn = (table: string, port: number): string[] =>
  table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const isThere = Number.parseInt(local.split(':')[1] ?? '', 16) === port && state === LISTENING;
    return isThere && inode !== '0' ? [inode] : [];
  });

/** Interpreters: the name of what they run says more. */
const INTERPRETER = /^(?:node|nodejs|python[\d.]*|perl|ruby|sh|bash)$/;
const NAME_LENGTH_MAX = 60;

/**
 * @param command of a process as `/proc` gives it, its words ended by zeros
 * @returns its name with its number, and whether it is this program, or its radio process
 */
export function holderName(command: string, process: string): { name: string; isGateway: boolean } {
  const words = command.split('\0').filter((word) => word !== '');
  const named = words.map((word) => word.replace(/^.*\//, ''));
  const [first = '?', ...rest] = named;
  const script = INTERPRETER.test(first) ? rest.find((word) => !word.startsWith('-')) : undefined;
  const name = `${first}${script === undefined ? '' : ` ${script}`}`.slice(0, NAME_LENGTH_MAX);
  const isGateway =
    (words.includes('run') && words.some((word) => /(?:^|\/)(?:parking-agent|agent\/main\.js)$/.test(word))) ||
    named.some((word) => word.startsWith('radio-process'));
  return { name: `${name} (${process})`, isGateway };
}
