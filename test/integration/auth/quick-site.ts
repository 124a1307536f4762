import type { CloudStore } from '../../../cloud/store/cloud-store.js';
import { quickPasswords } from '../../sim/world/quick-passwords.js';
import { PASSWORD, seedSite, type Site } from '../http/http-site.js';

/** The site of `http-site.ts`; its users have passwords that cost nothing to compare. */
export async function seedQuickSite(store: CloudStore): Promise<Site> {
  const site = await seedSite(store);
  const password_hash = await quickPasswords.hash(PASSWORD);
  await store.change((tx) => tx.updateTable('account_users').set({ password_hash }).execute());
  return site;
}
