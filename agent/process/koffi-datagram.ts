/**
 * Driver: sends datagrams to a Unix socket, which Node.js has no call for. A child process (`systemd-notify`) every few seconds would cost a
 * Raspberry Pi more than the gateway's own work, and would need a right that any child then has (`NotifyAccess=all`).
 */
import koffi from 'koffi';

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2_000_000;
/** Who does not read holds nobody up, and whoever is gone sends no signal. */
const FLAGS = 0x40 | 0x40_00;
/** sockaddr_un(7): the family, and a place for the address. */
const FAMILY_BYTES = 2;
const ADDRESS_BYTES_MAX = 108;

export interface Datagrams {
  /** @throws Error when nobody listens at the address, or does not read what was sent before */
  send(text: string): void;
}

/**
 * @param address a path, or the name of an abstract socket after an `@`, as systemd gives it in NOTIFY_SOCKET
 * @throws Error for any other address
 */
export function openDatagrams(address: string): Datagrams {
  const isAbstract = address.startsWith('@');
  const name = Buffer.from(isAbstract ? `\0${address.slice(1)}` : `${address}\0`);
  if (!(isAbstract || address.startsWith('/')) || name.length > ADDRESS_BYTES_MAX)
    throw new Error(`${address} is no address of a Unix socket`);
  const place = Buffer.concat([Buffer.alloc(FAMILY_BYTES), name]);
  place.writeUInt8(AF_UNIX, 0);

  const libc = koffi.load(null);
  const socket = libc.func('int socket(int domain, int type, int protocol)');
  const sendto = libc.func(
    'long sendto(int descriptor, void *bytes, size_t count, int flags, void *address, uint32_t addressCount)',
  );
  const descriptor: number = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) throw new Error(`no Unix socket could be opened: errno ${koffi.errno()}`);
  return {
    send(text) {
      const bytes = Buffer.from(text);
      const sent = Number(sendto(descriptor, bytes, bytes.length, FLAGS, place, place.length));
      if (sent !== bytes.length) throw new Error(`nothing could be sent to ${address}: errno ${koffi.errno()}`);
    },
  };
}
