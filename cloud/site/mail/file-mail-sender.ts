/** Driver: mails as files in a directory, for a service without a mail server. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { composeMessage } from './compose-message.js';
import type { MailFrom, MailSender } from './mail-sender.js';
import { errorText } from '../../../shared/error-text.js';

/**
 * Writes `<Message-ID>.eml`, which mail programs open. A repeat writes the same file.
 * @param options.directory is created with the first mail, for its owner alone: mails hold links that open barriers
 */
export function createFileMailSender({ directory, from }: { directory: string; from: MailFrom }): MailSender {
  return {
    async send(mail) {
      const path = join(directory, `${mail.message_id.replaceAll(/[<>]|@.*/g, '')}.eml`);
      try {
        const message = await composeMessage(mail, from);
        await mkdir(directory, { recursive: true, mode: 0o700 });
        await writeFile(`${path}.part`, message, { mode: 0o600 });
        await rename(`${path}.part`, path);
        return { end: 'accepted' };
      } catch (error) {
        const reason = errorText(error);
        return { end: 'unreached', reason: `The mail could not be written into a file: ${reason}` };
      }
    },
  };
}
