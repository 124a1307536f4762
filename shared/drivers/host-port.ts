/** Parses the address of a server: `192.168.1.30:502`, or `[fd00::30]:502`. */

export const HOST_PORT_FORM = 'must be host:port, such as 192.168.1.30:502';
export const HOST_AND_PORT_FORM = 'must be host:port of the serial device server, such as 192.168.1.30:4001';
const HOST_PORT = /^(\[[^\]]+\]|[^\s:/[\]]+)(?::(\d{1,5}))?$/;
const PORT_MAX = 65_535;

interface HostPort {
  host: string;
  /** null: the address has none. */
  port: number | null;
}

/** Returns null when the text is not the address of a server. */
export function hostPortOf(address: string): HostPort | null {
  const [, host, port] = HOST_PORT.exec(address) ?? [];
  if (host === undefined || Number(port ?? 1) > PORT_MAX) return null;
  return { host: host.replace(/^\[|\]$/g, ''), port: port === undefined ? null : Number(port) };
}
