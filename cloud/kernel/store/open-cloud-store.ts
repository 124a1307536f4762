/** Opens the cloud's database, whichever kind DATABASE_URL names. */
import type { CloudStore } from './cloud-store.js';
import { isPostgresUrl } from './database-url.js';
import type { StoreKernelOptions } from './store-kernel.js';

export interface OpenStoreOptions extends Omit<StoreKernelOptions, 'driver'> {
  /** `sqlite:PATH` or `postgres://...` */
  url: string;
}

/** A driver is loaded only when it is used. */
export async function openCloudStore(options: OpenStoreOptions): Promise<CloudStore> {
  if (isPostgresUrl(options.url)) {
    const { createPostgresStore } = await import('./postgres/postgres-store.js');
    return createPostgresStore(options);
  }
  const { createCloudStore } = await import('./sqlite/sqlite-store.js');
  return createCloudStore(options);
}
