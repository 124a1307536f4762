/**
 * Driver: switches a Bluetooth adapter on, as BlueZ's bluetoothd would, which must not run beside the gateway: after a start of the device an adapter is
 * off until somebody switches it on. Node.js has no call for it.
 */
import koffi from 'koffi';

const AF_BLUETOOTH = 31;
const SOCK_RAW_CLOEXEC = 3 | 0o2_000_000;
const BTPROTO_HCI = 1;
/** ioctl(2), of the kernel's hci_sock.h */
const HCIDEVUP = 0x400448c9;
const SAID: Readonly<Record<number, string>> = {
  1: 'this program may not: it needs CAP_NET_ADMIN',
  19: 'there is no such adapter',
  97: 'this kernel has no Bluetooth',
  132: 'it is blocked: rfkill unblock bluetooth',
};
const IS_ON = 114;

/** @returns why it is not on, in words for people; null: it is. Never throws */
export function switchOn(index: number): string | null {
  const libc = koffi.load(null);
  const socket = libc.func('int socket(int domain, int type, int protocol)');
  const ioctl = libc.func('int ioctl(int descriptor, unsigned long request, unsigned long value)');
  const close = libc.func('int close(int descriptor)');
  const said = (): string | null => {
    const number = koffi.errno();
    return number === IS_ON ? null : (SAID[number] ?? `errno ${number}`);
  };
  const descriptor: number = socket(AF_BLUETOOTH, SOCK_RAW_CLOEXEC, BTPROTO_HCI);
  if (descriptor < 0) return said();
  const failed: string | null = ioctl(descriptor, HCIDEVUP, index) === 0 ? null : said();
  close(descriptor);
  return failed;
}
