/** `parking-agent claim`, `parking-agent reset`: they ask the gateway that runs on this device, and do it themselves when none does. */
import { existsSync } from 'node:fs';
import { CONFIG_SECTIONS } from '../../shared/gateway-config.js';
import { errorText } from '../../shared/error-text.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { checkClaimed, type ClaimWanted } from '../commissioning/claim-desk.js';
import { claimGateway, type Joined } from '../commissioning/claim.js';
import { localClaimText } from '../commissioning/device-code.js';
import { type DataPlace, openDevice, orderErasure } from '../commissioning/data-erasure.js';
import { findErasure } from '../commissioning/erasure-mark.js';
import { findIdentity, type Identity } from '../commissioning/identity.js';
import { leaveCloud } from '../commissioning/standing.js';
import type { GatewayStatus, StatusHere } from '../health/status.js';
import type { AgentStore } from '../store/agent-store.js';
import { recordsIn } from '../store/count-waiting.js';
import { noteLines } from '../../shared/node/program.js';
import { askPerson, askWhether } from './ask-person.js';
import { type Claimed, claimThis, resetThis, type LifeOfThis } from './life-routes.js';
import { askStatus, type GatewayPlace, NoGatewayError, orderGateway } from './local-client.js';

/** Beyond what the claim itself may take. */
const CLAIM_WITHIN_MS = 75_000;
const RESET_WITHIN_MS = 30_000;

export interface DevicePlace extends DataPlace, GatewayPlace {
  databaseFile: string;
  openStore(path: string): Promise<AgentStore>;
  /**
   * Holds the folder against other programs, and waits while one of them erases it.
   * @param onWait called once, when it has to wait
   * @returns how to let it go; null: another program works in it
   */
  hold(onWait: () => void): Promise<(() => void) | null>;
}

/**
 * Claims this device.
 * @param asked.again for a claimed gateway, which keeps its queue and goes on as the same gateway
 * @returns what to print
 * @throws Error with what to do
 */
export async function claimDevice(
  place: DevicePlace,
  asked: { cloudUrl: string; code: string; again: boolean; yes: boolean },
): Promise<string> {
  const { cloudUrl, code, again, yes } = asked;
  if (again && !yes) {
    const question = 'It is claimed anew as the gateway that it is, keeps its queue, and starts anew. Go on?';
    if (!(await askWhether(question, '--yes'))) throw new Error('nothing was changed');
  }
  const claimed = await besideGateway(
    async () => {
      const identity = readUnclaimed(place, await askStatus(place));
      const proof = identity?.sign(localClaimText({ cloudUrl, code }));
      const body = { cloud_url: cloudUrl, code, again, proof };
      const order = { path: '/claim', body, withinMs: CLAIM_WITHIN_MS };
      return orderGateway<Claimed>(place, order);
    },
    () => held(place, async () => claimThis((await openAlone(place)).of, { cloudUrl, code, again })),
  );
  return claimedText(claimed);
}

function claimedText({ name, lot, uuid, cloud_url: cloud }: Claimed): string {
  const what = [...(name === null ? [] : [`"${name}"`]), ...(lot === null ? [] : [`of the lot "${lot}"`])].join(' ');
  return `This gateway is ${what === '' ? uuid : `${what} (${uuid})`} at ${cloud}.`;
}

/**
 * Erases this device, asked twice.
 * @param asked.confirm the gateway's name, from a script; left out: the person at the terminal types it
 * @returns what to print
 */
export async function resetDevice(place: DevicePlace, asked: { yes: boolean; confirm?: string }): Promise<string> {
  return besideGateway(
    async () => {
      const { name, uuid, lot, outbox } = await askStatus(place);
      const confirm = await confirmed({ name: name ?? uuid, lot, waiting: outbox.pending }, asked);
      await orderGateway(place, { path: '/reset', body: { confirm }, withinMs: RESET_WITHIN_MS });
      return 'Everything is being erased; the gateway begins anew, unclaimed. What the memory card keeps of old blocks only taking it apart would show.';
    },
    async () => {
      const { uuid } = findErasure(place.identityFile) === null ? await eraseAlone(place, asked) : await finish(place);
      return `Everything is erased: this is a new, unclaimed gateway, ${uuid}. What the memory card keeps of old blocks only taking it apart would show.`;
    },
  );
}

const opened = (place: DevicePlace) => openDevice(place, { logger: silentLogger });

async function eraseAlone(place: DevicePlace, asked: { yes: boolean; confirm?: string }): Promise<Identity> {
  const { of, kept } = await held(place, () => openAlone(place));
  const confirm = await confirmed({ ...kept, name: of.name() }, asked);
  // While the person read and typed, a gateway may have started.
  return held(place, async () => {
    await resetThis(of, confirm);
    return opened(place);
  });
}

/** Finishes an erasure that was ordered before, or waits for the program that is at it. */
async function finish(place: DevicePlace): Promise<Identity> {
  const letGo = await hold(place);
  try {
    // A gateway that has erased itself at its start goes on in its folder.
    const identity = letGo === null ? findIdentity(place.identityFile) : await opened(place);
    if (identity === null) throw new Error(inUseText(place));
    return identity;
  } finally {
    letGo?.();
  }
}

/** Does something while no other program works in the folder. @throws Error with what to do when one does */
async function held<Result>(place: DevicePlace, work: () => Promise<Result>): Promise<Result> {
  const letGo = await hold(place);
  if (letGo === null) throw new Error(inUseText(place));
  try {
    return await work();
  } finally {
    letGo();
  }
}

const hold = (place: DevicePlace) =>
  place.hold(() => noteLines('what this device keeps is being erased already: this waits for its end'));

/** Says that another program works in the folder, in words for people. */
export const inUseText = ({ dataDir }: Pick<DataPlace, 'dataDir'>): string =>
  `${dataDir} is in use: a gateway runs in it and does not answer at AGENT_HTTP_PORT, or another parking-agent claims or erases it`;

/**
 * Reads the identity of the unclaimed gateway that runs here from its folder: only somebody who may read that is on the
 * device, whatever a connection looks like.
 * @returns null: it is claimed
 * @throws Error with what to do
 */
function readUnclaimed(
  { identityFile }: Pick<DataPlace, 'identityFile'>,
  { uuid, claim }: Pick<GatewayStatus, 'uuid' | 'claim'>,
): Identity | null {
  if (claim.state === 'claimed') return null;
  let identity: Identity | null;
  try {
    identity = findIdentity(identityFile);
  } catch (cause) {
    throw new Error(`${identityFile} cannot be read, and shows that you are on the device: run this as root (sudo)`, {
      cause,
    });
  }
  if (identity?.uuid !== uuid)
    throw new Error(
      `${identityFile} is not that of the gateway that runs here: set AGENT_DATA_DIR as it is set for that`,
    );
  return identity;
}

/** Describes the device code in the status, for a caller who may read it. */
export function deviceCodeOf(
  place: Pick<DataPlace, 'identityFile'>,
  status: GatewayStatus,
): Pick<StatusHere, 'device_code' | 'device_code_problem'> {
  try {
    return { device_code: readUnclaimed(place, status)?.deviceCode ?? null, device_code_problem: null };
  } catch (error) {
    return { device_code: null, device_code_problem: errorText(error) };
  }
}

async function besideGateway<Answer>(ask: () => Promise<Answer>, alone: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NoGatewayError) return alone();
    throw error;
  }
}

interface Kept {
  name: string | null;
  lot: string | null;
  /** Records that were not sent; null: not known. */
  waiting: number | null;
  cloudKey: string | undefined;
}

async function confirmed(
  { name, lot, waiting }: Omit<Kept, 'cloudKey'>,
  { yes, confirm }: { yes: boolean; confirm?: string },
): Promise<string> {
  const instead = `--yes --confirm "${name}"`;
  const records = waiting === null ? 'an unknown number of records' : `${waiting} records`;
  noteLines(
    `"${name}"${lot === null ? '' : ` of the lot "${lot}"`} will be erased: identity, keys of products, configuration, plates, pictures,\n` +
      `quarantined pushes, settings of cameras from before their setup, and ${records} that were not sent to the cloud.\n` +
      'It opens nothing until it is claimed again. This cannot be undone.',
  );
  if (!yes && !(await askWhether('Erase it?', instead))) throw new Error('nothing was erased');
  return confirm ?? askPerson("Type the gateway's name to erase it: ", instead);
}

/** Opens the state that is kept here while no gateway runs. */
async function openAlone(place: DevicePlace): Promise<{ of: LifeOfThis; kept: Kept }> {
  let identity = await opened(place);
  const kept = await readKept(place);
  const of: LifeOfThis = {
    life: {
      claimView: () => ({ state: identity.cloud === null ? 'unclaimed' : 'claimed', problem: null }),
      async claim(wanted: ClaimWanted): Promise<Joined> {
        checkClaimed(identity, wanted);
        const joined = await claimGateway({ identity, ...wanted });
        ({ identity } = joined);
        return joined;
      },
      // A caller who can work in its folder is on the device.
      checkDeviceCode() {},
      checkOnDevice() {},
      end: (why) => orderErasure(place, { why, at_ms: systemClock.now() }),
    },
    name: () => kept.name ?? identity.uuid,
    cloudKey: () => kept.cloudKey,
    leave: () =>
      leaveCloud({ identity, cloudKey: kept.cloudKey, waiting: kept.waiting ?? 0 }).catch(() =>
        noteLines('the cloud could not be told: delete or reset the gateway there too'),
      ),
  };
  return { of, kept };
}

async function readKept({ databaseFile, openStore }: DevicePlace): Promise<Kept> {
  if (!existsSync(databaseFile)) return { name: null, lot: null, waiting: 0, cloudKey: undefined };
  const store = await openStore(databaseFile).catch((cause: unknown) => {
    throw new Error(`${databaseFile} is in use: a gateway runs, and does not answer at AGENT_HTTP_PORT`, { cause });
  });
  try {
    const section = store.boot.config.find((each) => each.section === 'gateway');
    const self = CONFIG_SECTIONS.gateway.safeParse(section?.items['self']).data;
    const waiting = recordsIn(await store.outboxState());
    return { name: self?.name ?? null, lot: self?.lot_name ?? null, waiting, cloudKey: self?.cloud_key };
  } finally {
    await store.close();
  }
}
