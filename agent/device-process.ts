/**
 * Connects the program with the device it runs on: a service manager starts and watches it, a lamp shows it, a file
 * claims it.
 */
import { errorText } from '../shared/error-text.js';
import type { Logger } from '../shared/logger.js';
import { systemClock } from '../shared/system-clock.js';
import { ClaimError } from './commissioning/claim.js';
import { openClaimFile } from './commissioning/claim-file.js';
import { findIdentity } from './commissioning/identity.js';
import type { AgentConfig } from './config.js';
import { createSelfWatch, type SelfWatch, type ServiceManager } from './health/self-watch.js';
import type { GatewayStatus } from './health/status.js';
import { createSysfsLamp } from './health/sysfs-lamp.js';

interface RunningOnDevice {
  status(): Promise<GatewayStatus>;
  /** Resolves when it is claimed; rejects with the ClaimError of a refusal. */
  readonly joined: Promise<void>;
}

export interface Device {
  /**
   * Starts the gateway, claimed by the claim file where there is one, and says that it is at work. A file that the cloud refuses does not keep
   * it from starting.
   */
  start<Running extends RunningOnDevice>(run: (config: AgentConfig) => Promise<Running>): Promise<Running>;
  /** Says that it stops. */
  stopping(): void;
  /** @param failed it ends because of a fault */
  close(failed: boolean): void;
}

export async function connectDevice(config: AgentConfig, { logger }: { logger: Logger }): Promise<Device> {
  const lamp = createSysfsLamp(config.ledPath, { logger });
  lamp.show('starting');
  const manager = await connectManager(config, logger);
  const isClaimed = (findIdentity(config.identityFile)?.cloud ?? null) !== null;
  const file = openClaimFile({ path: config.claimFile, dataDir: config.dataDir, isClaimed }, { logger });
  let { problem } = file;
  const adapters = createAdapterSwitch(config, logger);
  let watch: SelfWatch | null = null;
  function refused(error: unknown): void {
    if (!(error instanceof ClaimError && error.reason === 'refused')) return;
    problem = errorText(error);
    logger.error({ reason: problem }, 'the cloud refused the claim file');
    file.finish(problem);
  }
  const isWatched = config.notifySocket !== null || config.ledPath !== null;
  return {
    async start(run) {
      manager.notify('STATUS=starts');
      await adapters.switchOn();
      const gateway = await run({ ...config, claim: file.claim ?? config.claim });
      if (file.claim !== null) gateway.joined.then(() => file.finish(null), refused);
      manager.notify('READY=1');
      const status = async () => {
        const seen = await gateway.status();
        // It may be plugged in, or its firmware loaded, after the start.
        if (seen.radio.state === 'unavailable') await adapters.switchOn();
        return seen;
      };
      if (isWatched)
        watch = createSelfWatch({ status, problem: () => problem, manager, lamp, clock: systemClock, logger });
      return gateway;
    },
    stopping() {
      watch?.close();
      manager.notify('STOPPING=1', 'STATUS=stops');
    },
    close(failed) {
      watch?.close();
      lamp.show(failed ? 'fault' : 'stopped');
    },
  };
}

/** Switches the adapters on: nobody else on the device does. */
function createAdapterSwitch({ adapters }: AgentConfig, logger: Logger) {
  const logged = new Map<number, string>();
  return {
    async switchOn(): Promise<void> {
      const indices = adapters.flatMap((each) => (each.kind === 'adapter' ? [each.index ?? 0] : []));
      if (indices.length === 0) return;
      const driver = await import('./process/koffi-adapter-power.cjs');
      for (const index of indices) {
        const reason = driver.switchOn(index) ?? '';
        if (reason !== '' && logged.get(index) !== reason)
          logger.warn({ adapter: `hci${index}`, reason }, 'the Bluetooth adapter could not be switched on');
        logged.set(index, reason);
      }
    },
  };
}

/** The library that reaches it is loaded only where there is one: it takes memory. */
async function connectManager({ notifySocket, watchdogMs }: AgentConfig, logger: Logger): Promise<ServiceManager> {
  if (notifySocket === null) return { watchdogMs: null, notify: () => undefined };
  const { openDatagrams } = await import('./process/koffi-datagram.cjs');
  try {
    const datagrams = openDatagrams(notifySocket);
    let isWarned = false;
    return {
      watchdogMs,
      notify(...lines) {
        try {
          datagrams.send(lines.join('\n'));
        } catch (error) {
          if (!isWarned) logger.warn({ reason: errorText(error) }, 'the service manager cannot be told');
          isWarned = true;
        }
      },
    };
  } catch (error) {
    logger.error({ reason: errorText(error) }, 'the service manager cannot be reached');
    return { watchdogMs: null, notify: () => undefined };
  }
}
