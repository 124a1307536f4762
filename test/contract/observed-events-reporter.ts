/** Reporter of the whole run: prints the events of the run beside the specification's table, above the runner's summary. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { eventReport } from './event-report.js';
import { observedDirectoryVariable, readObserved } from './observed-events.js';
import type { SendingRule } from './sending-rules.js';

export default class ObservedEventsReporter implements Reporter {
  readonly #directory = mkdtempSync(join(tmpdir(), 'observed-events-'));

  onInit(): void {
    // The test processes inherit it.
    process.env[observedDirectoryVariable] = this.#directory;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const observed = readObserved(this.#directory);
    rmSync(this.#directory, { recursive: true });
    const outcomes = outcomesOf(modules);
    if (observed.size === 0 && outcomes.size === 0) return;
    const lines = eventReport(observed, outcomes);
    process.stdout.write(`\nEvents heard in this run, beside the specification\n${lines.join('\n')}\n`);
  }
}

/** A rule has passed when all tests that prove it have passed. */
function outcomesOf(modules: readonly TestModule[]): Map<SendingRule, 'passed' | 'failed'> {
  const outcomes = new Map<SendingRule, 'passed' | 'failed'>();
  for (const test of modules.flatMap((module) => [...module.children.allTests()])) {
    const { state } = test.result();
    if (state !== 'passed' && state !== 'failed') continue;
    for (const rule of test.meta().sendingRules ?? []) {
      if (outcomes.get(rule) !== 'failed') outcomes.set(rule, state);
    }
  }
  return outcomes;
}
