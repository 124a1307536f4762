/**
 * The gateway as a process: its listener, and behind it one gateway after the other. It starts anew without a restart of the program when it
 * is claimed, and when it is erased. The program runs it, and so do simulations of a car park.
 */
import { createBoundedLog } from '../shared/bounded-log.js';
import { type Clock, sleep } from '../shared/clock.js';
import { errorText } from '../shared/error-text.js';
import type { ConfigMessage } from '../shared/gateway-config.js';
import type { GatewayUuid } from '../shared/ids.js';
import type { Logger } from '../shared/logger.js';
import { systemClock } from '../shared/system-clock.js';
import { createClaimDesk } from './commissioning/claim-desk.js';
import { openDevice, orderErasure } from './commissioning/data-erasure.js';
import { createDeviceCodeGuard, DeviceCodeError, localClaimText } from './commissioning/device-code.js';
import { showOnScreen } from './commissioning/device-screen.js';
import type { GatewayLife } from './commissioning/gateway-life.js';
import type { Identity } from './commissioning/identity.js';
import type { AgentConfig } from './config.js';
import { type ChangingApp, createChangingApp } from './console/changing-app.js';
import { type LocalServer, startLocalServer } from './console/local-server.js';
import type { Gateway } from './gateway.js';
import { type GatewayOverrides, startWithIdentity } from './gateway-process.js';
import type { LogRing } from './health/log-ring.js';
import type { GatewayStatus } from './health/status.js';

/** How long the first start waits for the cloud's answer to a claim; later it starts anew with the answer. */
const FIRST_ANSWER_MS = 2_000;

export interface RunningGateway {
  /** Another one after a claim or an erasure. */
  readonly uuid: GatewayUuid;
  /** Where it listens for cameras and people on site. */
  readonly port: number;
  /** Resolves when the device is claimed by its settings and at work as such, or need not be. Rejects with the ClaimError of a refusal. */
  readonly joined: Promise<void>;
  /** Rejects when it could not be started anew: then it does nothing any more. */
  readonly failed: Promise<never>;
  status(): Promise<GatewayStatus>;
  /** Accepts no more pushes, and ends the work that is under way. */
  close(): Promise<void>;
}

const NOT_CLAIMED =
  'not claimed: open the page of this device, run parking-agent claim, or set CLOUD_URL and CLAIM_CODE';

/** The parts that a gateway begins with. */
interface Begin {
  identity: Identity;
  initialConfig: ConfigMessage[];
}

/**
 * Starts the gateway. An unclaimed one serves its page and waits for its claim; it asks for that of the settings by itself.
 * @param of.logs the newest lines that the logger wrote, for people on site
 * @throws when its port is in use, or its data cannot be opened
 */
export async function startGateway(
  config: AgentConfig,
  { logger, logs, overrides }: { logger: Logger; logs: LogRing; overrides: GatewayOverrides },
): Promise<RunningGateway> {
  const { clock = systemClock, random = Math.random } = overrides;
  const renewed = async () => ({ identity: await openDevice(config, { logger }), initialConfig: [] });
  const listening = { port: config.httpPort };
  const app = createChangingApp({ clock: systemClock });
  const lives = createLives(app, await renewed());
  const desk = createClaimDesk({
    identity: lives.identity,
    clock,
    random,
    logger,
    onJoined: (joined) => lives.next(async () => ({ identity: joined.identity, initialConfig: joined.config })),
  });
  const life: GatewayLife = {
    claimView: desk.view,
    ...createHolderChecks({ identity: lives.identity, clock, logger }),
    claim: desk.claim,
    end(why) {
      orderErasure(config, { why, at_ms: clock.now() });
      lives.next(renewed);
    },
  };
  // Any free port is known only once the listener has it.
  const httpPort = () => listening.port;
  const start = ({ identity, initialConfig }: Begin) => {
    showOnScreen(config.screenFile, identity, { logger });
    return startWithIdentity(config, { identity, initialConfig, life, httpPort, logger, logs, overrides });
  };
  const wanted = lives.identity().cloud === null ? config.claim : null;
  const joined = wanted === null ? Promise.resolve() : desk.join(wanted).then(lives.settled);
  joined.catch(() => undefined);
  try {
    if (wanted !== null) await firstAnswer(joined);
    await lives.start(start);
    if (lives.identity().cloud === null) logger.warn({}, NOT_CLAIMED);
    const server = await listen(lives.latest, { app, config, clock, logger });
    listening.port = server.port;
    const close = async () => {
      desk.close();
      await closeLast(await lives.end(), server);
    };
    return {
      get uuid() {
        return lives.identity().uuid;
      },
      port: server.port,
      joined,
      failed: lives.failed,
      status: lives.status,
      close,
    };
  } catch (error) {
    desk.close();
    await (await lives.end())?.close();
    throw error;
  }
}

/** Builds the checks that whoever claims an unclaimed device has it before them, or is on it. */
function createHolderChecks(deps: {
  identity: () => Identity;
  clock: Clock;
  logger: Logger;
}): Pick<GatewayLife, 'checkDeviceCode' | 'checkOnDevice'> {
  const { identity, clock, logger } = deps;
  const codeGuard = createDeviceCodeGuard({ clock });
  const strangers = createBoundedLog({ logger, clock });
  return {
    checkDeviceCode(guess) {
      const { deviceCode } = identity();
      if (deviceCode === null) return;
      try {
        codeGuard.check(deviceCode, guess);
      } catch (error) {
        const { address } = guess;
        strangers.from(address).warn({ address, reason: errorText(error) }, 'a claim was refused for its device code');
        throw error;
      }
    },
    checkOnDevice({ proof, ...claim }) {
      const { deviceCode, sign } = identity();
      if (deviceCode === null || proof === sign(localClaimText(claim))) return;
      throw new DeviceCodeError('this is no claim of parking-agent claim on this device');
    },
  };
}

async function closeLast(last: Gateway | null, server: LocalServer): Promise<void> {
  try {
    await last?.retireDisplays();
    await server.close();
  } finally {
    await last?.close();
  }
}

async function firstAnswer(joined: Promise<void>): Promise<void> {
  const waiting = new AbortController();
  const late = sleep(systemClock, FIRST_ANSWER_MS, waiting.signal);
  await Promise.race([joined, late]).catch(() => undefined);
  waiting.abort();
  await late.catch(() => undefined);
}

/** One gateway after the other behind the same routes. */
function createLives(app: ChangingApp, first: Begin) {
  let begin = first;
  /** How one starts; null: none has started yet, and `next` only says what the first one begins with. */
  let start: ((begin: Begin) => Promise<Gateway>) | null = null;
  let present: Gateway | null = null;
  let latest: Gateway | null = null;
  let isEnded = false;
  let turn: Promise<void> = Promise.resolve();
  let fail: (reason: unknown) => void = () => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);

  async function become(next: () => Promise<Begin>): Promise<void> {
    if (isEnded) return;
    if (start !== null) await app.shut();
    const before = present;
    present = null;
    await before?.close();
    begin = await next();
    await startNow();
  }

  async function startNow(): Promise<void> {
    if (start === null) return;
    present = await start(begin);
    latest = present;
    app.open(present.app);
  }

  return {
    failed,
    /** The identity of the present gateway, or of the one that starts next. */
    identity: () => begin.identity,
    /** Starts the first one, and from now on those after it. */
    async start(by: (begin: Begin) => Promise<Gateway>) {
      await turn;
      start = by;
      turn = startNow();
      await turn;
    },
    async status(): Promise<GatewayStatus> {
      await turn;
      if (present === null) throw new Error('the gateway has ended');
      return present.status();
    },
    /** The present one, or the one before while that is started anew. */
    latest: () => latest,
    next(beginning: () => Promise<Begin>): void {
      turn = turn.then(() => become(beginning));
      turn.catch(fail);
    },
    settled: () => turn,
    /** @returns the last one, which the caller closes */
    async end(): Promise<Gateway | null> {
      isEnded = true;
      await turn.catch(() => undefined);
      return present;
    },
  };
}

function listen(
  latest: () => Gateway | null,
  { app, config, clock, logger }: { app: ChangingApp; config: AgentConfig; clock: Clock; logger: Logger },
) {
  const outsiders = createBoundedLog({ logger, clock });
  return startLocalServer({
    app,
    host: config.httpHost,
    port: config.httpPort,
    isKnown: (address) => latest()?.isKnownAddress(address) ?? false,
    isDevicePath: (path) => latest()?.isDevicePath(path) ?? false,
    onCrowd: (address) =>
      outsiders.from(address).warn({ address }, 'a local connection was closed to make room for others'),
    onRefused({ address, reason, path }) {
      outsiders.from(address).warn({ address, reason }, 'a local request was refused');
      latest()?.noteRefused({ path, reason });
    },
    onError: (error) => logger.error({ err: error }, 'the local listener failed'),
  });
}
