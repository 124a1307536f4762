/** The page of a weblink as built: one file that includes its script and style. Its policy allows requests to this service only. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** The build writes this file next to this module (scripts/bundle-guest-page.mjs). */
const PAGE_FILE = new URL('./guest-page.html', import.meta.url);

export interface GuestPageFile {
  html: string;
  /** The Content-Security-Policy: allows the page's own script and style by their hashes, and requests to this service. */
  policy: string;
}

/** Reads the page. Rejects when the build did not produce it. */
export async function readGuestPage(): Promise<GuestPageFile> {
  const html = await readFile(PAGE_FILE, 'utf8');
  const hashOf = (element: string) => {
    const [, content = ''] = new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(html) ?? [];
    return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
  };
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf('script')}`,
    `style-src ${hashOf('style')}`,
    "connect-src 'self'",
    // The logo of the account.
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy };
}
