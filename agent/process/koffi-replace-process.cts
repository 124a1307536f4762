/** Driver: replaces this process by a new program, through the C library. */
import koffi = require('koffi');

/** fcntl(2) */
const F_SETFD = 2;
const STANDARD_STREAMS = [0, 1, 2];

interface NewProgram {
  file: string;
  args: readonly string[];
  /** Added to the environment of this process. */
  environment: Readonly<Record<string, string>>;
  /** Open descriptors, beside the standard streams, that the new program inherits. */
  descriptors?: readonly number[];
}

/**
 * Calls execv(3): the new program runs under this process id, with the same parent, the same standard streams and the same
 * environment, and nothing else of this process remains. It uses koffi, because Node.js 20 has no call for it and koffi needs no
 * compiler.
 * @throws Error when the program could not be replaced; then nothing has changed but the environment
 */
function replaceProcess({ file, args, environment, descriptors = [] }: NewProgram): never {
  const libc = koffi.load(null);
  const setenv = libc.func('int setenv(const char *name, const char *value, int overwrite)');
  const fcntl = libc.func('int fcntl(int descriptor, int command, ...)');
  const execv = libc.func('int execv(const char *path, const char **argv)');
  for (const [name, value] of Object.entries(environment)) setenv(name, value, 1);
  // Node.js marks what it inherited to be closed when another program replaces this one.
  for (const each of [...STANDARD_STREAMS, ...descriptors]) fcntl(each, F_SETFD, 'int', 0);
  execv(file, [file, ...args, null]);
  throw new Error(`execv of ${file} failed with errno ${koffi.errno()}`);
}

export = { replaceProcess };
