/** Reporter of the whole run: the event table of the specification beside what the suite heard, above the runner's summary. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reporter } from 'vitest/node';
import type { EventName } from '../../shared/events/event-schemas.js';
import { observedDirectoryVariable, readObserved } from './observed-events.js';
import { renderComparison, SPECIFICATION_EVENTS } from './specification-events.js';

export default class ObservedEventsReporter implements Reporter {
  readonly #directory = mkdtempSync(join(tmpdir(), 'observed-events-'));

  onInit(): void {
    // The test processes inherit it.
    process.env[observedDirectoryVariable] = this.#directory;
  }

  onTestRunEnd(): void {
    const observed = readObserved(this.#directory);
    rmSync(this.#directory, { recursive: true });
    if (observed.size === 0) return;
    const lines = (Object.keys(SPECIFICATION_EVENTS) as EventName[]).flatMap((event) =>
      renderComparison(event, observed.get(event) ?? []),
    );
    process.stdout.write(`\nEvents heard in this run, beside the specification's table\n${lines.join('\n')}\n`);
  }
}
