/** What DATABASE_URL may be: `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. */
import { resolve } from 'node:path';

export const DATABASE_URL_ALLOWED =
  'sqlite:PATH, or postgres://USER:PASSWORD@HOST:PORT/DATABASE (special characters in a password as %XX)';

export const isPostgresUrl = (url: string): boolean => /^postgres(ql)?:\/\//.test(url);

export const isDatabaseUrl = (url: string): boolean => /^sqlite:(?!:memory:$)./.test(url) || isServerAddress(url);

function isServerAddress(url: string): boolean {
  if (!isPostgresUrl(url)) return false;
  try {
    const { username, password, pathname, hash } = new URL(url);
    for (const part of [username, password, pathname]) decodeURIComponent(part);
    // A password with a bare `/`, `#` or `@` in it would pass for a host and a database, which errors name.
    return hash === '' && !/[/@]/.test(pathname.slice(1));
  } catch {
    return false;
  }
}

/** The address with an absolute path, if it is a file's. */
export const absoluteDatabaseUrl = (url: string): string =>
  isPostgresUrl(url) ? url : `sqlite:${resolve(url.slice('sqlite:'.length))}`;

/** The address for people: without a password, which may stand in its options, too. */
export function shownDatabaseUrl(url: string): string {
  if (!isPostgresUrl(url)) return url;
  const shown = new URL(url);
  shown.password = '';
  shown.search = '';
  return shown.href;
}
