/** `parking-cloud releases publish FILE`, `list`, `roll-out`, `pause`, `status`, `remove` */
import {
  BundleError,
  deleteRelease,
  findAccountsNamed,
  findReleases,
  findReportingGateways,
  insertRelease,
  isForDevice,
  isInRing,
  isVersion,
  pauseRelease,
  readBundle,
  type ReleaseFiles,
  type ReportingGateway,
  type RingedRelease,
  rollOutStateOf,
  setRing,
} from '../../equipment/entry.js';
import { errorText } from '../../../shared/error-text.js';
import { printableJson } from '../../../shared/node/printable.js';
import { decodeJson } from '../../../shared/json-text-codec.js';
import { renderTable, terminalWidth } from '../../../shared/node/text-table.js';
import { compareVersions } from '../../../shared/version-order.js';
import { isoTime } from '../../rest/entry.js';
import { appendAudit } from '../../kernel/audit/entry.js';
import type { CloudStore, Tx } from '../../kernel/store/entry.js';
import { type CommandDeps, type CommandIo, withOwnStore, withStore } from './apply.js';

/** How many releases are kept, and how many bytes they have together. */
const RELEASES_MAX = 50;
const RELEASES_BYTES_MAX = 20 * 1024 ** 3;
const GATEWAYS_AT_ONCE = 500;

export interface ReleaseDeps extends CommandDeps {
  files: ReleaseFiles;
}

interface Printed {
  json: boolean;
}

/** An error of the typed command, in words that say what to do. */
class WrongUse extends Error {}

/** @returns the exit code: 0 done, 2 the file is no bundle that can be published, or it was already */
export function runReleasePublish(
  options: Printed & { file: string; keyring: string; securityFloor?: string },
  deps: ReleaseDeps,
  io: CommandIo,
): Promise<0 | 2> {
  return sayingWrongUse(io, async () => {
    const { file, keyring, securityFloor } = options;
    const read = await readBundle(file, keyring);
    const bundle = { ...read, security_floor: floorOf(read, securityFloor) };
    const id = await withOwnStore(deps, async (store) => {
      const others = await findReleases(store.reader);
      requireRoom(others, bundle);
      await deps.files.keep(bundle.sha256, file);
      return changeAudited(store, deps, { action: 'release.publish', target: nameOf(bundle) }, (tx) =>
        insertRelease(tx, { ...bundle, is_signature_checked: 1, now: deps.clock.now() }),
      );
    });
    if (options.json) io.out(printableJson({ id, ...bundle, is_signature_checked: true }));
    else io.out(`release ${id}  ${nameOf(bundle)}, ${bundle.bytes} bytes`);
    io.note(`No gateway has it yet: parking-cloud releases roll-out ${id} --percent 5`);
  });
}

export function runReleaseList({ json }: Printed, deps: Pick<CommandDeps, 'openStore'>, io: CommandIo): Promise<0> {
  return withStore<0>(deps, async (store) => {
    const releases = await findReleases(store.reader);
    if (json) io.out(printableJson(releases.map(shownRelease)));
    else if (releases.length === 0) io.out('There is none.');
    else {
      const rows = releases.map((release) => [
        String(release.id),
        release.machine,
        release.version,
        (release.bytes / 1024 ** 2).toFixed(1),
        release.security_floor ?? '-',
        rolledOut(release),
        isoTime(release.created_at),
        release.notes,
      ]);
      for (const line of renderTable(LIST_HEAD, rows, terminalWidth())) io.out(line);
    }
    return 0;
  });
}

/** Lets a part of the gateways have a release; it goes on with one that was paused. */
export function runReleaseRollOut(
  options: Printed & { id: string; percent: string; account?: string },
  deps: ReleaseDeps,
  io: CommandIo,
): Promise<0 | 2> {
  return sayingWrongUse(io, async () => {
    const percent = Number(options.percent);
    if (!/^\d{1,3}$/.test(options.percent) || percent > 100)
      throw new WrongUse(`--percent: ${options.percent}; allowed: a whole number from 0 to 100`);
    await withOwnStore(deps, async (store) => {
      const release = await releaseOf(store, options.id);
      const account_id = options.account === undefined ? null : await accountNamed(store, options.account);
      const details = { percent, account_id };
      await changeAudited(store, deps, { action: 'release.roll_out', target: nameOf(release), details }, async (tx) => {
        await setRing(tx, { release_id: release.id, account_id, percent });
        await pauseRelease(tx, { id: release.id, is_paused: 0, now: deps.clock.now() });
      });
    });
    return runReleaseStatus({ json: options.json, id: options.id }, deps, io);
  });
}

export function runReleasePause(options: Printed & { id: string }, deps: ReleaseDeps, io: CommandIo): Promise<0 | 2> {
  return sayingWrongUse(io, async () => {
    await withOwnStore(deps, async (store) => {
      const release = await releaseOf(store, options.id);
      await changeAudited(store, deps, { action: 'release.pause', target: nameOf(release) }, (tx) =>
        pauseRelease(tx, { id: release.id, is_paused: 1, now: deps.clock.now() }),
      );
      if (options.json) io.out(printableJson(shownRelease({ ...release, is_paused: 1 })));
      else
        io.out(`release ${release.id}  ${nameOf(release)}: no further gateway begins it; those that have it keep it`);
    });
  });
}

export function runReleaseRemove(options: Printed & { id: string }, deps: ReleaseDeps, io: CommandIo): Promise<0 | 2> {
  return sayingWrongUse(io, async () => {
    await withOwnStore(deps, async (store) => {
      const release = await releaseOf(store, options.id);
      await changeAudited(store, deps, { action: 'release.remove', target: nameOf(release) }, (tx) =>
        deleteRelease(tx, release.id),
      );
      await deps.files.remove(release.sha256);
      if (options.json) io.out(printableJson(shownRelease(release)));
      else io.out(`release ${release.id}  ${nameOf(release)}: removed`);
    });
  });
}

/** Shows how far each gateway is with a release, or with all that they shall have. */
export function runReleaseStatus(
  options: Printed & { id?: string },
  deps: Pick<CommandDeps, 'openStore'>,
  io: CommandIo,
): Promise<0 | 2> {
  return sayingWrongUse(io, async () => {
    await withStore(deps, async (store) => {
      const releases =
        options.id === undefined ? await findReleases(store.reader) : [await releaseOf(store, options.id)];
      const rows = [];
      for await (const gateway of gatewaysOf(store)) rows.push(...statusOf(gateway, releases));
      if (options.json) io.out(printableJson(rows));
      else if (rows.length === 0) io.out('No gateway shall have it yet.');
      else {
        const cells = rows.map((row) => Object.values(row).map((cell) => String(cell ?? '-')));
        for (const line of renderTable(STATUS_HEAD, cells, terminalWidth())) io.out(line);
        io.out(summaryOf(rows));
      }
    });
  });
}

const LIST_HEAD = ['id', 'machine', 'version', 'MB', 'floor', 'rolled out', 'published', 'notes'];
const STATUS_HEAD = [
  'release',
  'account',
  'gateway',
  'name',
  'connection',
  'has',
  'shall have',
  'state',
  'waits for or error',
];

type StatusRow = ReturnType<typeof statusOf>[number];

/** One row for each of the releases that the gateway is in a ring of. */
function statusOf(gateway: ReportingGateway, releases: readonly RingedRelease[]) {
  const { uuid, account_id } = gateway;
  if (uuid === null) return [];
  const report = gateway.health === null ? undefined : decodeJson(gateway.health).update;
  return releases
    .filter(
      (release) => release.rings.some((ring) => isInRing(ring, { uuid, account_id })) && isForDevice(release, report),
    )
    .map((release) => {
      const has = report?.installed ?? null;
      return {
        release_id: release.id,
        account: gateway.account_name,
        gateway_id: gateway.id,
        name: gateway.name,
        status: gateway.status,
        version: has,
        wanted: release.version,
        state: rollOutStateOf(release, report),
        reason: report?.version === release.version ? (report.error ?? report.waits_for) : null,
      };
    });
}

function summaryOf(rows: readonly StatusRow[]): string {
  const counts = new Map<string, number>();
  for (const { state } of rows) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
}

async function* gatewaysOf(store: CloudStore): AsyncGenerator<ReportingGateway> {
  for (let afterId = 0; ; ) {
    const gateways = await findReportingGateways(store.reader, { afterId, limit: GATEWAYS_AT_ONCE });
    yield* gateways;
    afterId = gateways.at(-1)?.id ?? 0;
    if (gateways.length < GATEWAYS_AT_ONCE) return;
  }
}

function requireRoom(
  others: readonly RingedRelease[],
  bundle: { machine: string; version: string; sha256: string; bytes: number },
): void {
  const same = others.find(
    ({ machine, version, sha256 }) =>
      sha256 === bundle.sha256 || (machine === bundle.machine && version === bundle.version),
  );
  if (same !== undefined) {
    throw new WrongUse(
      same.sha256 === bundle.sha256
        ? `it was published already, as release ${same.id}`
        : `${nameOf(bundle)} was published already, as release ${same.id}, with other content: give the new one another version`,
    );
  }
  const bytes = others.reduce((sum, each) => sum + each.bytes, bundle.bytes);
  if (others.length >= RELEASES_MAX || bytes > RELEASES_BYTES_MAX)
    throw new WrongUse(
      `there are ${others.length} releases, ${bytes} bytes with this one; kept are ${RELEASES_MAX} and ${RELEASES_BYTES_MAX} bytes: ` +
        'parking-cloud releases remove ID makes room',
    );
}

/** The manifest's floor, which is signed, goes before what was typed. */
function floorOf(bundle: { version: string; security_floor: string | null }, typed: string | undefined): string | null {
  if (typed !== undefined && !isVersion(typed))
    throw new WrongUse(`--security-floor: ${typed} is no version such as 1.4.0`);
  const floor = bundle.security_floor ?? typed ?? null;
  if (floor !== null && compareVersions(bundle.version, floor) < 0)
    throw new WrongUse(`--security-floor: ${floor} is newer than the release itself, ${bundle.version}`);
  return floor;
}

async function releaseOf(store: CloudStore, id: string): Promise<RingedRelease> {
  const found = (await findReleases(store.reader)).find((release) => String(release.id) === id);
  if (found === undefined) throw new WrongUse(`${id} is no release: parking-cloud releases list shows them`);
  return found;
}

async function accountNamed(store: CloudStore, name: string): Promise<number> {
  const [id, another] = await findAccountsNamed(store.reader, name);
  if (id === undefined) throw new WrongUse(`--account: there is no account ${name}`);
  if (another !== undefined) throw new WrongUse(`--account: several accounts have the name ${name}`);
  return id;
}

function changeAudited<T>(
  store: CloudStore,
  { clock }: Pick<CommandDeps, 'clock'>,
  entry: { action: string; target: string; details?: Record<string, unknown> },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const by = { account_id: null, actor_type: 'operator', actor_id: null } as const;
  return store.change(async (tx) => {
    const result = await work(tx);
    await appendAudit(tx, [{ ...by, details: {}, ...entry, created_at: clock.now() }]);
    return result;
  });
}

const nameOf = ({ machine, version }: { machine: string; version: string }) => `${version} for ${machine}`;

function rolledOut({ is_paused, rings }: RingedRelease): string {
  const parts = rings.map(
    ({ account_id, percent }) => `${percent} % of ${account_id === null ? 'all' : `account ${account_id}`}`,
  );
  return `${is_paused === 1 ? 'PAUSED ' : ''}${parts.join(', ') || 'to nobody'}`;
}

const shownRelease = ({
  created_at,
  updated_at,
  rings,
  is_paused,
  is_signature_checked,
  ...release
}: RingedRelease) => ({
  ...release,
  is_paused: is_paused === 1,
  is_signature_checked: is_signature_checked === 1,
  rings: rings.map(({ account_id, percent }) => ({ account_id, percent })),
  created_at: isoTime(created_at),
  updated_at: isoTime(updated_at),
});

async function sayingWrongUse(io: CommandIo, work: () => Promise<0 | 2 | void>): Promise<0 | 2> {
  try {
    return (await work()) ?? 0;
  } catch (error) {
    if (!(error instanceof WrongUse || error instanceof BundleError)) throw error;
    io.err(errorText(error));
    return 2;
  }
}
