/** Brings the database to what a site file declares, in one transaction. */
import type { Clock } from '../../shared/clock.js';
import { makeClaimCode, makeToken } from '../secrets/made-secrets.js';
import type { Passwords } from '../secrets/passwords.js';
import { hashToken, type Secrets } from '../secrets/secrets.js';
import type { CloudStore, Db } from '../store/cloud-store.js';
import { findUserByEmail } from '../store/queries/accounts.js';
import {
  deleteSiteRow,
  findHolder,
  insertSiteRow,
  readSiteRows,
  replaceSiteLinks,
  SITE_UNIQUE_COLUMNS,
  type SiteValue,
  updateSiteRow,
} from '../store/queries/site.js';
import { declareThings } from './declare-things.js';
import { planSite, type SiteStep, type SiteWrite } from './plan-site.js';
import { presentThings } from './present-things.js';
import type { SiteFile } from './read-site-file.js';
import type { Site, SiteProblem } from './site-schema.js';
import { type DeclaredThing, type SealedSecret, type ThingKey, thingNames } from './site-things.js';

export interface ApplySiteDeps {
  store: CloudStore;
  secrets: Secrets;
  passwords: Passwords;
  clock: Clock;
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
  // Before the transaction, in which nothing but SQL is awaited.
  const passwordHashes = await hashPasswords(file.site, deps);
  const declared = declareThings(file.site, { passwordHashes, hashToken, makeClaimCode, makeToken });
  const plan = (db: Db) => planAgainst(db, { file, declared, prune: options.prune, secrets: deps.secrets });
  if (options.dryRun) return deps.store.reader.transaction().execute(async (tx) => (await plan(tx)).steps);
  return deps.store.change(async (tx) => {
    const { steps, ids } = await plan(tx);
    const context = { tx, ids, secrets: deps.secrets, now: deps.clock.now() };
    for (const step of steps) await perform(step, context);
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
): Promise<{ steps: SiteStep[]; ids: Map<ThingKey, number> }> {
  const { file, declared, prune, secrets } = given;
  const rows = await readSiteRows(
    db,
    file.site.accounts.map(({ name }) => name),
  );
  const present = presentThings(rows, gatewayNamesByUuid(file.site));
  const holds = (sealed: string, secret: SealedSecret) =>
    secrets.open(secret.purpose, sealed).equals(Buffer.from(secret.secret, secret.encoding));
  const { steps, problems } = planSite(declared, present, { prune, holds });
  const all = [...problems, ...(await findTaken(db, steps))];
  if (all.length > 0) throw file.error(all);
  return { steps, ids: new Map(present.map(({ key, id }) => [key, id])) };
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
  ids: Map<ThingKey, number>;
  secrets: Secrets;
  now: number;
}

async function perform(step: SiteStep, context: PerformContext): Promise<void> {
  const { tx, ids, now } = context;
  if (step.action === 'remove') await deleteSiteRow(tx, step.present.table, step.present.id);
  if (step.action !== 'create' && step.action !== 'change') return;
  const { table, key } = step.thing;
  const values = { ...columnsOf(step.write, context), updated_at: now };
  if (step.action === 'create') {
    ids.set(key, await insertSiteRow(tx, table, { ...values, created_at: now }));
  } else {
    await updateSiteRow(tx, { table, id: step.id, values });
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

function idOf(key: ThingKey, ids: ReadonlyMap<ThingKey, number>): number {
  const id = ids.get(key);
  if (id === undefined) throw new Error(`A site file's thing is used before it is there: ${key}`);
  return id;
}
