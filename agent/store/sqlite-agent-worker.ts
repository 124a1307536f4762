/** The worker thread owns the agent's SQLite file: a slow fsync stops this thread and no other. */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { Logger } from '../../shared/logger.js';
import { sendableLogFields } from '../../shared/sent-log-fields.js';
import { openFile } from './sqlite-agent-file.js';
import { createGroupRunner, failureOf } from './sqlite-agent-group.js';
import { createOutbox } from './sqlite-agent-outbox.js';
import type { FromWorker, ToWorker, WorkerOptions } from './sqlite-agent-protocol.js';
import { createReplica, readFile } from './sqlite-agent-replica.js';

if (parentPort === null) throw new Error('sqlite-agent-worker runs as a worker thread only');
serve(parentPort, workerData as WorkerOptions);

function serve(port: MessagePort, options: WorkerOptions): void {
  const post = (message: FromWorker) => port.postMessage(message);
  const log =
    (level: 'warn' | 'error'): Logger['warn'] =>
    (fields, message) =>
      post({ kind: 'log', level, fields: sendableLogFields(fields), message });
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
      post({ kind: 'done', results });
      // The next opening puts a damaged file aside; the driver begins it when this thread ends.
      if (results.some((result) => !result.ok && result.failure.damaged)) close();
    });
    post({ kind: 'opened', file: loaded.file, health });
  } catch (error) {
    post({ kind: 'refused', failure: failureOf(error) });
    port.close();
  }
}
