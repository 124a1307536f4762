/** Driver: asks the operating system whether a pipe still has a reader. Node.js learns it only from a write that fails. */
import fs = require('node:fs');
import koffi = require('koffi');

/** pollfd(2): the descriptor, the events that are asked for, and at its end those that came. */
const ASKED_BYTES = 8;
const CAME_AT = 6;
/** POLLERR, POLLHUP and POLLNVAL: they come without being asked for. */
const GONE = 0x08 | 0x10 | 0x20;

const poll = koffi.load(null).func('int poll(void *descriptors, unsigned long count, int timeoutMs)');

/** @param descriptor of an output. One that is no pipe always has a reader */
function hasReader(descriptor: number): boolean {
  const kind = fs.fstatSync(descriptor);
  if (!kind.isFIFO() && !kind.isSocket()) return true;
  const asked = Buffer.alloc(ASKED_BYTES);
  asked.writeInt32LE(descriptor);
  poll(asked, 1, 0);
  return (asked.readInt16LE(CAME_AT) & GONE) === 0;
}

export = { hasReader };
