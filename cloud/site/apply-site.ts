/** Brings the database to what a site file declares, in one transaction. */
import type { Clock } from '../../shared/clock.js';
import type { GatewaySlot } from '../gateway/decide-gateway-slot.js';
import { makeClaimCode, makeCredentialId, makeToken } from '../secrets/made-secrets.js';
import type { Passwords } from '../secrets/passwords.js';
import { hashToken, type Secrets } from '../secrets/secrets.js';
import type { CloudStore, Db } from '../store/cloud-store.js';
import { findUserByEmail } from '../store/queries/accounts.js';
import { appendAudit } from '../store/queries/audit-log.js';
import { saveGatewaySlot } from '../store/queries/gateway-slots.js';
import { invalidateTokensOfProduct } from '../store/queries/keys.js';
import {
  findHolder,
  insertSiteRow,
  readSiteRows,
  removeSiteRow,
  replaceSiteLinks,
  SITE_UNIQUE_COLUMNS,
  type SiteId,
  type SiteRows,
  type SiteValue,
  updateSiteRow,
} from '../store/queries/site.js';
import { makeWeblink } from '../weblink/weblink-tokens.js';
import { auditEntries } from './audit-site.js';
import { declareThings } from './declare-things.js';
import { isPairedAnew } from './plan-keys.js';
import { planSite, type SiteStep, type SiteWrite } from './plan-site.js';
import { presentThings } from './present-things.js';
import type { SiteFile } from './read-site-file.js';
import type { Site, SiteProblem } from './site-schema.js';
import { type DeclaredThing, type PresentThing, type SealedSecret, type ThingKey, thingNames } from './site-things.js';

export interface ApplySiteDeps {
  store: CloudStore;
  secrets: Secrets;
  passwords: Passwords;
  clock: Clock;
  /** Public address of the cloud, for the links that are made. */
  baseUrl: string;
}

/**
 * Plans, and unless it is a dry run, does what the plan says.
 * @throws SiteFileError when the file does not fit this database; nothing is written then
 */
export async function applySite(
  file: SiteFile,
  deps: ApplySiteDeps,
  options: { prune: boolean; dryRun: boolean },
): Promise<SiteStep[]> {
  const { secrets, clock, baseUrl } = deps;
  // Before the transaction, in which nothing but SQL is awaited.
  const passwordHashes = await hashPasswords(file.site, deps);
  const now = clock.now();
  const declared = declareThings(file.site, {
    passwordHashes,
    hashToken,
    makeClaimCode,
    makeToken,
    makeCredentialId,
    makeWeblink: () => makeWeblink(secrets, baseUrl),
    now,
  });
  const plan = (db: Db) => planAgainst(db, { file, declared, prune: options.prune, secrets });
  if (options.dryRun) return deps.store.reader.transaction().execute(async (tx) => (await plan(tx)).steps);
  return deps.store.change(async (tx) => {
    const { steps, present } = await plan(tx);
    const ids = new Map([...present.values()].map(({ key, id }) => [key, id]));
    const context = { tx, ids, present, secrets, now };
    for (const step of steps) await perform(step, context);
    await appendAudit(tx, auditEntries(steps, { accountIds: ids, now }));
    return steps;
  });
}

/** The hash a user has where the password fits it, else a new one: passwords are verified, not hashed again. */
async function hashPasswords(site: Site, { store, passwords }: ApplySiteDeps): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for (const { email, password } of site.accounts.flatMap((account) => account.users)) {
    if (password === undefined) continue;
    const present = (await findUserByEmail(store.reader, email))?.password_hash;
    const fits = Boolean(present) && (await passwords.verify(password, present ?? null));
    hashes.set(email, fits && present !== undefined ? present : await passwords.hash(password));
  }
  return hashes;
}

async function planAgainst(
  db: Db,
  given: { file: SiteFile; declared: DeclaredThing[]; prune: boolean; secrets: Secrets },
): Promise<{ steps: SiteStep[]; present: ReadonlyMap<ThingKey, PresentThing> }> {
  const { file, declared, prune, secrets } = given;
  const rows = await readSiteRows(
    db,
    file.site.accounts.map(({ name }) => name),
  );
  const present = presentThings(rows, gatewayNamesByUuid(file.site));
  const holds = (sealed: string, secret: SealedSecret) =>
    secrets.open(secret.purpose, sealed).equals(Buffer.from(secret.secret, secret.encoding));
  const slots = slotsByLot(rows.gateway_slots, present);
  const { steps, problems } = planSite(declared, present, { prune, slots, holds });
  const all = [...problems, ...(await findTaken(db, steps))];
  if (all.length > 0) throw file.error(all);
  return { steps, present: new Map(present.map((thing) => [thing.key, thing])) };
}

function slotsByLot(rows: SiteRows['gateway_slots'], present: PresentThing[]): Map<ThingKey, GatewaySlot[]> {
  const lots = present.filter(({ table }) => table === 'lots');
  return new Map(lots.map(({ key, id }) => [key, rows.filter(({ lot_id }) => lot_id === id)]));
}

function gatewayNamesByUuid(site: Site) {
  const gateways = site.accounts.flatMap((account) =>
    account.lots.flatMap((lot) => lot.gateways.map(({ uuid, name }) => ({ uuid, account, lot, name }))),
  );
  return new Map(
    gateways.flatMap(({ uuid, account, lot, name }) =>
      uuid === undefined ? [] : [[uuid, thingNames.gateways(account.name, lot.name, name)] as const],
    ),
  );
}

/** What the file gives to one thing and another has already: of another account, or not in the file. */
async function findTaken(db: Db, steps: SiteStep[]): Promise<SiteProblem[]> {
  const removed = new Set(
    steps.flatMap((step) => (step.action === 'remove' ? `${step.present.table} ${step.present.id}` : [])),
  );
  const problems: SiteProblem[] = [];
  for (const step of steps) {
    if (step.action !== 'create' && step.action !== 'change') continue;
    const { table, path } = step.thing;
    const column = SITE_UNIQUE_COLUMNS[table];
    for (const name of column ?? []) {
      const value = step.write.values[name];
      if (typeof value !== 'string') continue;
      const holder = await findHolder(db, { table, column: name, value });
      if (holder === undefined || removed.has(`${table} ${holder.id}`)) continue;
      if (step.action === 'change' && step.id === holder.id) continue;
      const field = name.replace(/_hash$/, '');
      problems.push({
        path: [...path, field],
        reason: `${holder.name} of account ${holder.account_name} has this ${field} already`,
      });
    }
  }
  return problems;
}

interface PerformContext {
  tx: Db;
  /** Grows as things are created. */
  ids: Map<ThingKey, SiteId>;
  /** What was there before. */
  present: ReadonlyMap<ThingKey, PresentThing>;
  secrets: Secrets;
  now: number;
}

async function perform(step: SiteStep, context: PerformContext): Promise<void> {
  const { tx, ids, now } = context;
  if (step.action === 'remove') {
    const { table, id } = step.present;
    await removeSiteRow(tx, { table, id, now });
  }
  if (step.action !== 'create' && step.action !== 'change') return;
  const { table, key } = step.thing;
  const values = { ...columnsOf(step.write, context), updated_at: now };
  if (step.action === 'create') {
    ids.set(key, await insertSiteRow(tx, table, { ...values, created_at: now }));
  } else {
    if (isPairedAnew(step, context.present)) await invalidateTokensOfProduct(tx, { id: Number(step.id), now });
    await updateSiteRow(tx, { table, id: step.id, values });
  }
  const { slot, slot_generation } = step.write.values;
  if (typeof slot === 'number' && typeof slot_generation === 'number') {
    const lot_id = Number(idOf(step.thing.references.lot_id ?? '', ids));
    await saveGatewaySlot(tx, { lot_id, slot, generation: slot_generation });
  }
  for (const link of step.write.links) {
    const to = link.to.map((linked) => idOf(linked, ids));
    await replaceSiteLinks(tx, { table: link.table, from: idOf(key, ids), to });
  }
}

function columnsOf(
  { values, sealed, references }: SiteWrite,
  { ids, secrets }: PerformContext,
): Record<string, SiteValue> {
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
