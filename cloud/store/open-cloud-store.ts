/** Opens the cloud's database, whichever kind DATABASE_URL names. */
import type { CloudStore } from './cloud-store.js';
import type { StoreKernelOptions } from './store-kernel.js';

export interface OpenStoreOptions extends Omit<StoreKernelOptions, 'driver'> {
  /** `sqlite:PATH` or `postgres://...` */
  url: string;
}

export const isPostgresUrl = (url: string): boolean => /^postgres(ql)?:\/\//.test(url);

/** A driver is loaded only when it is used. */
export async function openCloudStore(options: OpenStoreOptions): Promise<CloudStore> {
  if (isPostgresUrl(options.url)) {
    const { createPostgresStore } = await import('./postgres/postgres-store.js');
    return createPostgresStore(options);
  }
  const { createCloudStore } = await import('./sqlite/sqlite-store.js');
  return createCloudStore(options);
}
