/** Has one program at a time work in the gateway's folder: the one that runs the gateway, or one that claims or erases the device beside it. */
import { mkdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from '../shared/logger.js';
import type { DataPlace } from './commissioning/data-erasure.js';
import { findErasure } from './commissioning/erasure-mark.js';
import type { AgentConfig } from './config.js';
import { inUseText } from './console/claim-command.js';
import { connectDevice, type Device } from './device-process.js';

const LOOK_AGAIN_MS = 200;

/** Connects the program with its device, whose folder it holds until the end. @throws when another program works in it; the signal's reason */
export async function holdDevice(
  config: AgentConfig,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
): Promise<Device> {
  const onWait = () => logger.warn({}, 'another parking-agent erases what this device keeps: it is waited for');
  const letGo = await holdPlace(config, onWait, signal);
  if (letGo === null) throw new Error(inUseText(config));
  const device = await connectDevice(config, { logger });
  return {
    ...device,
    close(failed) {
      device.close(failed);
      letGo();
    },
  };
}

/** Holds the folder, and waits while another program erases it. @returns how to let it go; null: another program works in it */
export async function holdPlace(
  { dataDir, identityFile }: Pick<DataPlace, 'dataDir' | 'identityFile'>,
  onWait: () => void,
  signal = new AbortController().signal,
): Promise<(() => void) | null> {
  const { holdFolder } = await import('./process/koffi-folder-lock.cjs');
  for (let looks = 0; ; looks += 1) {
    const letGo = opened(dataDir, holdFolder);
    if (letGo !== null || findErasure(identityFile) === null) return letGo;
    if (looks === 0) onWait();
    await setTimeout(LOOK_AGAIN_MS, undefined, { signal });
  }
}

function opened<Hold>(dataDir: string, hold: (path: string) => Hold): Hold {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return hold(dataDir);
  } catch (cause) {
    throw new Error(`${dataDir} cannot be opened: run the agent as the user whose folder it is`, { cause });
  }
}
