/** The worker thread that owns the agent's SQLite file: an fsync that takes long stops this thread and no other. */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { openFile } from './sqlite-agent-file.js';
import { createGroupRunner, failureOf } from './sqlite-agent-group.js';
import { createOutbox } from './sqlite-agent-outbox.js';
import type { FromWorker, ToWorker, WorkerOptions } from './sqlite-agent-protocol.js';
import { createReplica, readFile } from './sqlite-agent-replica.js';

if (parentPort === null) throw new Error('sqlite-agent-worker runs as a worker thread only');
serve(parentPort, workerData as WorkerOptions);

function serve(port: MessagePort, options: WorkerOptions): void {
  const tell = (message: FromWorker) => port.postMessage(message);
  const log =
    (level: 'warn' | 'error') =>
    (fields: Record<string, unknown>, message: string): void =>
      tell({ kind: 'log', level, fields, message });
  try {
    const { limits, batch, boot_id } = options;
    const { db, loaded, health } = openFile(options, {
      logError: log('error'),
      load(opened) {
        const outbox = createOutbox({ db: opened, limits, batch, boot_id, warn: log('warn') });
        return { outbox, file: readFile(opened, { base: outbox.base(), warn: log('warn') }) };
      },
    });
    const runGroup = createGroupRunner(db, { outbox: loaded.outbox, replica: createReplica(db, limits) });
    const close = () => {
      db.close();
      port.close();
    };
    port.on('message', (message: ToWorker) => {
      if (message.kind === 'close') return close();
      const results = runGroup(message.calls, message.stamp);
      tell({ kind: 'done', results });
      // A damaged file is put aside by the next opening; the driver begins one when this thread ends.
      if (results.some((result) => !result.ok && result.failure.damaged)) close();
    });
    tell({ kind: 'opened', file: loaded.file, health });
  } catch (error) {
    tell({ kind: 'refused', failure: failureOf(error) });
    port.close();
  }
}
