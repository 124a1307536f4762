const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/**
 * Says whether a request's `Host` header names this machine (`localhost` or a loopback address), or is missing.
 * Endpoints that need no credential because the caller is on this machine must check this too. Otherwise a foreign web
 * page whose name resolves to this machine (DNS rebinding) could read them through a browser that runs here; its
 * requests still carry the page's own host. A client without a `Host` header is not a browser.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  return host === undefined || LOOPBACK_HOST.test(host);
}
