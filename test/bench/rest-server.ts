/**
 * The server of the REST benchmark, in its own process: the cloud's HTTP app, and as its reference a bare node:http that
 * runs the same select on the same database and answers the same JSON. It answers with its processor time when asked.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { findProductDetails } from '../../cloud/equipment/product/product-detail-queries.js';
import { representProduct } from '../../cloud/equipment/product/product-resource.js';
import { createPasswords } from '../../cloud/kernel/secrets/passwords.js';
import { openCloudStore } from '../../cloud/kernel/store/open-cloud-store.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { accountRow } from '../conformance/account-row.js';
import { seedSite } from '../integration/http/http-site.js';
import { newFolder, processorMeter, serveParent } from './harness.js';
import { startCloudWorld } from '../integration/http/http-world.js';

/** Its first message. */
export interface RestServer {
  ports: Record<'cloud' | 'bare', number>;
  productId: number;
}

/** So many that none is refused, and all are counted. */
const REQUESTS_PER_MIN = 1_000_000_000;
const directory = newFolder();
/** Of an empty one; a SQLite file when left out. */
const databaseUrl = process.argv[2] ?? `sqlite:${join(directory, 'cloud.db')}`;
/** What a sign-in costs is measured. */
const passwords = createPasswords({ pausingClock: systemClock });
const cloud = await startCloudWorld({
  passwords,
  directory,
  databaseUrl,
  loginFailuresPerMin: 0,
  requestsPerMin: REQUESTS_PER_MIN,
  // A service does not keep what it logs, and drops the line of a request unless LOG_LEVEL says otherwise.
  logger: silentLogger,
});
const { harbour, north } = await seedSite(cloud.store, passwords);

const productId = await cloud.store.change(async (tx) => {
  await tx.insertInto('accounts').values(accountRow('Neighbour')).execute();
  const times = { created_at: 1, updated_at: 1 };
  const { id } = await tx
    .insertInto('products')
    .values({
      account_id: harbour,
      lot_id: north,
      zone_id: null,
      device_id: 'B-1',
      name: 'Barrier',
      power_type: 'mains',
      product_type_id: 1,
      hardware_version: '1',
      firmware_version: '1',
      latitude: null,
      longitude: null,
      status: 'online',
      advertisement_data: '',
      battery_status: null,
      rssi: -60,
      pairing_epoch: 0,
      master_key_sealed: null,
      seen_at: null,
      ...times,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const block = { state: 'closed' as const, is_autoclose: 1, autoclose_time: 10, is_car_on_top: 0 };
  await tx
    .insertInto('product_blocks')
    .values({ product_id: id, ...block, permanent_position: 'disabled', ...times })
    .execute();
  return id;
});

// Without the measurements of the cloud's own.
const bareStore = await openCloudStore({ url: databaseUrl, clock: systemClock, logger: silentLogger });
const bare: Server = createServer((request, response) => {
  const id = Number((request.url ?? '').split('/').at(-1));
  void findProductDetails(bareStore.reader, id).then((details) => {
    response.writeHead(details === null ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: true, data: details === null ? null : representProduct(details) }));
  });
});
bare.listen(0, '127.0.0.1', () => {
  const ports = { cloud: cloud.server.port, bare: (bare.address() as AddressInfo).port };
  serveParent({ ports, productId } satisfies RestServer, {
    answer: processorMeter(),
    async end() {
      bare.close();
      await bareStore.close();
      await cloud.close();
    },
  });
});
