import { existsSync } from 'node:fs';

/** systemd-timesyncd makes it when it has set the clock by a time server, at each start of the device anew. */
const SYNCHRONISED_FILE = '/run/systemd/timesync/synchronized';

/** Whether the clock of the device was set by a time server. What other programs keep the time says nothing here. */
export const followsTimeServer = (): boolean => existsSync(SYNCHRONISED_FILE);
