/** A program that has a device updated: `node update-child.js OPTIONS`, which are JSON. */
import { runUpdateDevice, type UpdateDeviceOptions } from './update-device.js';

const options = JSON.parse(process.argv[2] ?? '{}') as UpdateDeviceOptions;
process.stdout.write(JSON.stringify(await runUpdateDevice(options)));
