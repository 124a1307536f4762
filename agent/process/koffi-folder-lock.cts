/** Driver: holds a folder against other programs. The system lets it go with the program, however that ends. Node.js has no call for it. */
import fs = require('node:fs');
import koffi = require('koffi');

/** flock(2): alone, and without waiting. */
const LOCK_EX_NB = 2 | 4;
const EWOULDBLOCK = 11;

/** @returns how to let it go; null: another program holds it. @throws when the folder cannot be opened */
function holdFolder(path: string): (() => void) | null {
  const flock = koffi.load(null).func('int flock(int descriptor, int operation)');
  const descriptor = fs.openSync(path, 'r');
  if (flock(descriptor, LOCK_EX_NB) === 0) return () => fs.closeSync(descriptor);
  const errno = koffi.errno();
  fs.closeSync(descriptor);
  if (errno === EWOULDBLOCK) return null;
  throw new Error(`${path} could not be held against other programs: errno ${errno}`);
}

export = { holdFolder };
