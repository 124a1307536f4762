/** Reads the text of a site file from the disk. */
import { createReadStream } from 'node:fs';
import { SiteFileError } from './site-file-error.js';
import { errorText } from '../../../shared/error-text.js';

const SITE_FILE_BYTES_MAX = 8 * 1024 * 1024;

/**
 * @param path of a file or of a pipe (`<(...)`)
 * @throws SiteFileError if the file cannot be read, is too large or not UTF-8; reading stops at the largest size
 */
export async function readSiteText(path: string): Promise<string> {
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of createReadStream(path)) {
      bytes += (chunk as Buffer).length;
      if (bytes > SITE_FILE_BYTES_MAX) throw new Error(`it has more than ${SITE_FILE_BYTES_MAX} bytes`);
      chunks.push(chunk as Buffer);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new SiteFileError([`${path}: cannot be read: ${errorText(error)}`]);
  }
}
