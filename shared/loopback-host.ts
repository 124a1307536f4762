const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/**
 * Whether a request's `Host` names this machine as a program on it does, by `localhost` or a loopback address. What answers without a
 * credential because the caller is on this machine must ask it too: a page of somebody else whose name was made to lead here (DNS
 * rebinding) is read by a browser on this machine, but its requests still name their own host. A program that names none is no browser.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  return host === undefined || LOOPBACK_HOST.test(host);
}
