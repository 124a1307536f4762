import { existsSync } from 'node:fs';

/** systemd-timesyncd makes it when it has set the clock by a time server, at each start of the device anew. */
const SYNCHRONISED_FILE = '/run/systemd/timesync/synchronized';

/** Says whether the clock of the device was set by a time server. Other programs that keep the time are not asked. */
export const followsTimeServer = (): boolean => existsSync(SYNCHRONISED_FILE);
