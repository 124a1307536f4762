/** Brings the database to what a site file declares, in one transaction. */
import type { Clock } from '../../../shared/clock.js';
import { findUserByEmail } from '../../site/entry.js';
import { RESOURCES } from '../../all-resources.js';
import { appendAudit, ownChange } from '../../kernel/audit/entry.js';
import {
  type CloudStore,
  type Db,
  insertRow,
  LOCKS,
  replacePairs,
  type Row,
  type Tx,
  updateRow,
} from '../../kernel/store/entry.js';
import {
  generateCode,
  generateCredentialId,
  generateToken,
  hashToken,
  type Passwords,
  type Secrets,
} from '../../kernel/secrets/entry.js';
import { auditEntries } from './audit-site.js';
import {
  denyCredentials,
  type GatewaySlot,
  invalidateTokensOfProduct,
  saveGatewaySlot,
} from '../../equipment/entry.js';
import { alignWeblinks, generateWeblink, lockKeysOfAccounts, sendDeclaredKeys } from '../../guests/entry.js';
import { type ColumnValue, type Deciding, fileFieldsOf, hasSecretsForGateway, userKey } from '../../rest/entry.js';
import { declareThings, itemName } from './declare-things.js';
import { lastSuperAdminProblems } from './last-super-admins.js';
import { holdersInFile } from './holders-in-file.js';
import { isPairedAnew, isRenewed } from './plan-keys.js';
import { planSite } from './plan-site.js';
import { identityKey, presentThings } from './present-things.js';
import type { SiteFile } from './read-site-file.js';
import { accountOf, type FileResource, nameOf, siteItems, type SiteItems, type SiteProblem } from './site-items.js';
import { findAccountId, findHolder, holderOfThing, readSiteRows, removeSiteRow } from './site-queries.js';
import type { DeclaredThing, PresentThing, SealedSecret, SiteId, ThingKey, ThingName } from './site-things.js';
import type { SiteStep, SiteWrite } from './site-steps.js';

/** The resources of site files, in the order in which they can be created. */
export const FILE_RESOURCES: readonly FileResource[] = RESOURCES.filter(
  (resource): resource is FileResource => resource.file !== null,
);

export interface ApplySiteDeps {
  store: CloudStore;
  secrets: Secrets;
  passwords: Passwords;
  clock: Clock;
  /** The public address of the cloud, for new links. */
  baseUrl: string;
}

/**
 * Plans, and carries out the plan unless it is a dry run.
 * @throws SiteFileError when the file does not fit this database; nothing is written then
 */
export async function applySite(
  file: SiteFile,
  deps: ApplySiteDeps,
  options: { prune: boolean; dryRun: boolean },
): Promise<SiteStep[]> {
  const { secrets, clock, baseUrl } = deps;
  // This comes before the transaction, in which nothing but SQL is awaited.
  const passwordHashes = await hashPasswords(file.site, deps);
  const now = clock.now();
  const items = siteItems(file.site, FILE_RESOURCES);
  const declared = declareThings(items, {
    passwordHashes,
    hashToken,
    generateClaimCode: generateCode,
    generateToken,
    generateCredentialId,
    generateWeblink: () => generateWeblink(secrets, baseUrl),
    now,
  });
  const plan = (db: Deciding) => planAgainst(db, { file, items, declared, prune: options.prune, secrets });
  if (options.dryRun) return deps.store.reader.transaction().execute(async (tx) => (await plan(tx)).steps);
  return ownChange(deps.store)(async (tx) => {
    await tx.lock(LOCKS.site, LOCKS.gatewaySlots, LOCKS.userEmails, LOCKS.superAdmins);
    await lockKeysOfAccounts(
      tx,
      file.site.accounts.map(({ name }) => name),
    );
    const { steps, present } = await plan(tx);
    const ids = new Map([...present.values()].map(({ key, id }) => [key, id]));
    const leaving = new Set(steps.flatMap((step) => (step.action === 'remove' ? step.present.key : [])));
    const context = { tx, ids, present, leaving, secrets, now };
    for (const step of steps) await perform(step, context);
    await sendDeclaredKeys(tx, { key_log_ids: createdKeys(steps, ids), now });
    await appendAudit(tx, auditEntries(steps, { ids, now }));
    return steps;
  });
}

/** Returns for each user the present hash if the password matches it, else a new one, so that an unchanged password changes nothing. */
async function hashPasswords(
  site: SiteFile['site'],
  { store, passwords }: ApplySiteDeps,
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for (const { name, users } of site.accounts) {
    const account_id = await findAccountId(store.reader, name);
    for (const { email, password } of users) {
      if (password === undefined) continue;
      const user = account_id === null ? undefined : await findUserByEmail(store.reader, { account_id, email });
      const fits = Boolean(user?.password_hash) && (await passwords.verify(password, user?.password_hash ?? null));
      hashes.set(
        userKey(name, email),
        fits && user !== undefined ? user.password_hash : await passwords.hash(password),
      );
    }
  }
  return hashes;
}

async function planAgainst(
  db: Deciding,
  given: { file: SiteFile; items: SiteItems; declared: DeclaredThing[]; prune: boolean; secrets: Secrets },
): Promise<{ steps: SiteStep[]; present: ReadonlyMap<ThingKey, PresentThing> }> {
  const { file, items, declared, prune, secrets } = given;
  const accountNames = file.site.accounts.map(({ name }) => name);
  const rows = await readSiteRows(db, FILE_RESOURCES, accountNames);
  const present = presentThings(rows, FILE_RESOURCES, identifiedThings(items));
  const holds = (sealed: string, secret: SealedSecret) =>
    secrets.open(secret.purpose, sealed).equals(Buffer.from(secret.secret, secret.encoding));
  const slots = slotsByLot(rows.of('gateway_slots'), present);
  const { steps, problems } = planSite(declared, present, { resources: FILE_RESOURCES, prune, slots, holds });
  const all = [
    ...problems,
    ...lastSuperAdminProblems(steps, present),
    ...(await findUsed(db, steps)),
    ...(await findHeld(db, steps, declared)),
  ];
  if (all.length > 0) throw file.error(all);
  return { steps, present: new Map(present.map((thing) => [thing.key, thing])) };
}

function slotsByLot(rows: readonly Row<'gateway_slots'>[], present: PresentThing[]): Map<ThingKey, GatewaySlot[]> {
  const lots = present.filter(({ resource }) => resource.table === 'lots');
  return new Map(lots.map(({ key, id }) => [key, rows.filter(({ lot_id }) => lot_id === id)]));
}

/** Finds the names that the file gives to things with an identity of their own. */
function identifiedThings(items: SiteItems): Map<string, ThingName> {
  const identified = items.all.filter(({ resource: { file }, value }) => {
    return file.identity !== undefined && value[file.identity] !== undefined;
  });
  return new Map(
    identified.map((item) => [identityKey(item.resource, item.value, nameOf(accountOf(item))), itemName(items, item)]),
  );
}

/** Finds values that must be unique and that another thing already has, which is of another account or not in the file. */
async function findUsed(db: Db, steps: SiteStep[]): Promise<SiteProblem[]> {
  const removed = new Set(
    steps.flatMap((step) => (step.action === 'remove' ? `${step.present.resource.table} ${step.present.id}` : [])),
  );
  const accountNames = new Map(
    steps.flatMap((step) =>
      'thing' in step && step.thing.resource.table === 'accounts' ? [[step.thing.key, step.thing.name] as const] : [],
    ),
  );
  const problems: SiteProblem[] = [];
  for (const step of steps) {
    if (step.action !== 'create' && step.action !== 'change') continue;
    const { resource, path } = step.thing;
    for (const { field, within, column } of resource.unique) {
      const value = column === undefined ? undefined : step.write.values[column];
      if (column === undefined || typeof value !== 'string') continue;
      const account = within === 'everywhere' ? undefined : accountNames.get(step.thing.references.account_id ?? '');
      const holder = await findHolder(db, { table: resource.table, column, value, account });
      if (holder === undefined || removed.has(`${resource.table} ${holder.id}`)) continue;
      if (step.action === 'change' && step.id === holder.id) continue;
      const reason = `${holder.name} of account ${holder.account_name} has this ${field} already`;
      problems.push({ path: [...path, field], reason });
    }
  }
  return problems;
}

/** Finds things that the file leaves out and that cannot be removed, because they are in use. */
async function findHeld(
  db: Deciding,
  steps: readonly SiteStep[],
  declared: readonly DeclaredThing[],
): Promise<SiteProblem[]> {
  const paths = new Map(declared.map(({ key, path }) => [key, path]));
  const problems: SiteProblem[] = [];
  for (const step of steps) {
    if (step.action !== 'remove') continue;
    const { resource, id, label, references } = step.present;
    const hold = (await resource.deletion?.heldBy?.(db, Number(id))) ?? null;
    if (hold === null) continue;
    const path = paths.get(references.account_id ?? '') ?? [];
    problems.push({ path, reason: `${label} is not in the file and cannot be removed, because it ${hold.reason}` });
  }
  return problems;
}

interface PerformContext {
  tx: Tx;
  /** The ids of things; it grows while things are created. */
  ids: Map<ThingKey, SiteId>;
  /** The things that were there before. */
  present: ReadonlyMap<ThingKey, PresentThing>;
  /** Those of them that are removed. */
  leaving: ReadonlySet<ThingKey>;
  secrets: Secrets;
  now: number;
}

async function perform(step: SiteStep, context: PerformContext): Promise<void> {
  const { tx, ids, now } = context;
  if (step.action === 'remove') {
    const { resource, id } = step.present;
    await removeSiteRow(tx, resource, { id, now });
  }
  if (step.action !== 'create' && step.action !== 'change') return;
  const { resource, key } = step.thing;
  const { table } = resource;
  const values = { ...columnsOf(step.write, context), updated_at: now };
  if (step.action === 'create') {
    // The definition of the resource gives the columns of its table.
    ids.set(key, await insertRow(tx, table, { ...values, created_at: now } as never));
  } else {
    if (isPairedAnew(step, context.present)) await invalidateTokensOfProduct(tx, { id: Number(step.id), now });
    // A key with another window or product has other credentials from now on.
    if (isRenewed(step)) await denyCredentials(tx, { operation_token_ids: [Number(step.id)], now });
    await updateRow(tx, table, { id: step.id, set: values as never });
    if (isRenewed(step)) await alignWeblinks(tx, { operation_token_id: Number(step.id), now });
  }
  await giveSecrets(step.thing, Number(idOf(key, ids)), tx);
  await resource.file.afterWrite?.(tx, Number(idOf(key, ids)));
  const { slot, slot_generation } = step.write.values;
  if (typeof slot === 'number' && typeof slot_generation === 'number') {
    const lot_id = Number(idOf(step.thing.references.lot_id ?? '', ids));
    await saveGatewaySlot(tx, { lot_id, slot, generation: slot_generation });
  }
  for (const link of step.write.links) {
    const idsOf = (keys: readonly ThingKey[]) => keys.map((linked) => Number(idOf(linked, ids)));
    // Removed things delete their pairs themselves: users of a removed lot still see its history.
    const before = context.present.get(key)?.links.get(link.pairs.table) ?? [];
    const among = idsOf(before.filter((linked) => !context.leaving.has(linked)));
    await replacePairs(tx, link.pairs, { of: Number(idOf(key, ids)), to: idsOf(link.to), among });
  }
}

/** What the file gives is for the gateway that the thing has now, which may be new itself. */
async function giveSecrets({ resource, values, sealed }: DeclaredThing, id: number, tx: Tx): Promise<void> {
  const fields = fileFieldsOf(resource);
  if (!hasSecretsForGateway(fields)) return;
  const holder = await holderOfThing(tx, resource.table, id);
  await updateRow(tx, resource.table, {
    id,
    set: { secrets_for: holdersInFile(fields, { values, sealed, holder }) } as never,
  });
}

const createdKeys = (steps: readonly SiteStep[], ids: ReadonlyMap<ThingKey, SiteId>): number[] =>
  steps.flatMap((step) =>
    step.action === 'create' && step.thing.resource.table === 'key_logs' ? [Number(idOf(step.thing.key, ids))] : [],
  );

function columnsOf(
  { values, sealed, references }: SiteWrite,
  { ids, secrets }: PerformContext,
): Record<string, ColumnValue> {
  const sealedColumns = Object.entries(sealed).map(([column, { purpose, secret, encoding }]) => {
    return [column, secrets.seal(purpose, Buffer.from(secret, encoding))] as const;
  });
  const idColumns = Object.entries(references).map(
    ([column, key]) => [column, key === null ? null : idOf(key, ids)] as const,
  );
  return { ...values, ...Object.fromEntries(sealedColumns), ...Object.fromEntries(idColumns) };
}

function idOf(key: ThingKey, ids: ReadonlyMap<ThingKey, SiteId>): SiteId {
  const id = ids.get(key);
  if (id === undefined) throw new Error(`A site file's thing is used before it is there: ${key}`);
  return id;
}
