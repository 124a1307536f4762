/** The worker thread owns the agent's SQLite file: a slow fsync stops this thread and no other. */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { Logger } from '../../shared/logger.js';
import { sendableLogFields } from '../../shared/sent-log-fields.js';
import { failureOf } from './sqlite-agent-group.js';
import { openPlace } from './sqlite-agent-place.js';
import type { FromWorker, ToWorker, WorkerOptions } from './sqlite-agent-protocol.js';

if (parentPort === null) throw new Error('sqlite-agent-worker runs as a worker thread only');
serve(parentPort, workerData as WorkerOptions);

function serve(port: MessagePort, options: WorkerOptions): void {
  const post = (message: FromWorker) => port.postMessage(message);
  const log =
    (level: 'warn' | 'error'): Logger['warn'] =>
    (fields, message) =>
      post({ kind: 'log', level, fields: sendableLogFields(fields), message });
  try {
    const place = openPlace(options, { warn: log('warn'), error: log('error') });
    const close = () => {
      place.close();
      port.close();
    };
    port.on('message', (message: ToWorker) => {
      if (message.kind === 'close') return close();
      const results = place.run(message.calls, message.stamp);
      post({ kind: 'done', results, in_memory: place.inMemory() });
      // The next opening puts a damaged file aside; the driver begins it when this thread ends.
      if (results.some((result) => !result.ok && result.failure.damaged)) close();
    });
    post({ kind: 'opened', file: place.file, health: place.health });
  } catch (error) {
    post({ kind: 'refused', failure: failureOf(error) });
    port.close();
  }
}
