import type { IncomingMessage } from 'node:http';

/**
 * Whether a page in a browser sent the request. Browsers say so by `Origin` with whatever is not a plain reading, and by `Sec-Fetch-Site`;
 * no page can leave them out. Programs of Node.js send `Sec-Fetch-Mode` alone.
 */
export const isOfBrowser = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
