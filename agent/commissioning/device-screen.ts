/**
 * The text that an unclaimed device shows on its own screen before the login: a file that getty shows (issue.d,
 * agetty(8)). systemd makes its folder and takes it away; `parking-agent.tmpfiles` leads getty there.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { errorText } from '../../shared/error-text.js';
import type { Logger } from '../../shared/logger.js';
import type { Identity } from './identity.js';

export const SCREEN_FILE_NAME = 'screen.issue';
/** Written to, it has each getty read what it shows again, as `agetty --reload` does. */
const RELOAD_FILE = '/run/agetty.reload';

/** @param path null: the device has no screen */
export function showOnScreen(
  path: string | null,
  { deviceCode }: Pick<Identity, 'deviceCode'>,
  { logger }: { logger: Logger },
): void {
  if (path === null) return;
  try {
    writeFileSync(path, screenText(deviceCode), { mode: 0o600 });
    if (existsSync(RELOAD_FILE)) writeFileSync(RELOAD_FILE, '\n', { flag: 'r+' });
  } catch (error) {
    logger.warn({ path, reason: errorText(error) }, 'the device code cannot be shown on the screen');
  }
}

const screenText = (deviceCode: string | null): string =>
  deviceCode === null
    ? ''
    : `This parking gateway belongs to no cloud yet.\nDevice code, which its page asks for: ${deviceCode}\n\n`;
