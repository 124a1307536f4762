/**
 * Whether a page of this origin may connect. Nothing but a browser names one. The token is never a cookie, so that a strange page
 * cannot ride on somebody's login; when origins are configured (CORS_ORIGINS), pages of all others are turned away all the same.
 * @param origin the header `Origin`
 * @param own the service's own address: its pages may always connect
 */
export function isAllowedOrigin(origin: string | undefined, { allowed, own }: AllowedOrigins): boolean {
  if (origin === undefined || allowed.length === 0) return true;
  return allowed.includes(origin) || origin === new URL(own).origin;
}

export interface AllowedOrigins {
  /** As browsers write them: scheme, host, and a port that is not the scheme's. Empty: all. */
  allowed: readonly string[];
  own: string;
}
