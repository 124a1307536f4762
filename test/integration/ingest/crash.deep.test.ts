import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { connectGateway } from '../gateway/link-gateway.js';
import { batchOf, entryRead, newOutboxEpoch, recordOf } from './gateway-records.js';
import { NORTH_GATEWAY, type LinkSite } from '../gateway/link-site.js';
import { createStoreWorld } from '../gateway/link-world.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

const started: ChildProcess[] = [];
const made: string[] = [];
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  for (const directory of made.splice(0)) await rm(directory, { recursive: true });
});

async function createSite(): Promise<{ directory: string; site: LinkSite }> {
  const world = await createStoreWorld();
  await world.stop();
  made.push(world.directory);
  return world;
}

async function startCloud(
  existing: { directory: string; site: LinkSite },
  where: 'before commit' | 'after commit' | 'nowhere',
): Promise<{ port: number; died: Promise<unknown> }> {
  const program = fileURLToPath(new URL('./crasher.js', import.meta.url));
  const child = spawn(process.execPath, [program, existing.directory, JSON.stringify(existing.site), where], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  const died = once(child, 'exit');
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  return { port: Number(chunk.toString('utf8')), died };
}

it.each(['before commit', 'after commit'] as const)(
  'a cloud killed %s of a batch takes it exactly once',
  async (where) => {
    const existing = await createSite();
    const epoch = newOutboxEpoch();
    const batch = batchOf(
      epoch,
      0,
      [1, 2, 3].map((seq) => recordOf(seq, entryRead(existing.site, { reading: { plate: `CRASH${seq}` } }))),
    );

    const first = await startCloud(existing, where);
    const gateway = await connectGateway({ port: first.port, uuid: NORTH_GATEWAY, epoch });
    gateway.publish('records', batch);
    await first.died;
    await waitUntil('all that the cloud had sent to be read', () => !gateway.client.connected);
    expect(gateway.acks()).toEqual([]);
    await gateway.end();

    const second = await startCloud(existing, 'nowhere');
    const again = await connectGateway({ port: second.port, uuid: NORTH_GATEWAY, epoch, connection: 2 });
    again.sayHello();
    await waitUntil('the welcome', () => again.welcomes().length > 0);
    const committed = where === 'after commit' ? 3 : 0;
    expect(again.welcomes()[0]?.cursors).toContainEqual({ lane: 0, seq: committed });
    expect(await again.sendRecords(batch)).toEqual({ epoch, lane: 0, seq: 3, gap: false, diverged: false });
    await again.end();

    const after = await createStoreWorld({ existing });
    const { reader } = after.store;
    const count = async (table: 'plate_readings' | 'sessions' | 'lot_entries' | 'events' | 'ingest_uids') =>
      (await reader.selectFrom(table).selectAll().execute()).length;
    expect([await count('plate_readings'), await count('sessions'), await count('lot_entries')]).toEqual([3, 3, 3]);
    expect(await count('ingest_uids')).toBe(3);
    // Three readings with four events each, and the gateway that is online.
    const events = await reader.selectFrom('events').select('event').execute();
    expect(events.filter(({ event }) => event !== 'gateway_status')).toHaveLength(12);
    await after.close();
  },
);
