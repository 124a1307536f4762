/**
 * Decides whether a page of this origin may connect. Only browsers send an origin. The token is never a cookie, so a foreign page cannot
 * use somebody's login. When origins are configured (CORS_ORIGINS), pages of all others are refused nevertheless.
 * @param origin the header `Origin`
 * @param own the service's own address: its pages may always connect
 */
export function isAllowedOrigin(origin: string | undefined, { allowed, own }: AllowedOrigins): boolean {
  if (origin === undefined || allowed.length === 0) return true;
  return allowed.includes(origin) || origin === new URL(own).origin;
}

export interface AllowedOrigins {
  /** Origins as browsers write them: scheme, host, and a port that is not the scheme's default. Empty: all. */
  allowed: readonly string[];
  own: string;
}
