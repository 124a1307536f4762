/** Measures commands and the attempts of gateways at them. */
import { Counter, Histogram, type Registry } from 'prom-client';
import { OUTSIDE_S } from '../../kernel/measure/entry.js';
import type { AttemptOutcome } from './command-machine.js';
import type { EndedCommand } from './command-steps.js';

export interface CommandMeasurement {
  ended(command: EndedCommand): void;
  attemptEnded(outcome: AttemptOutcome): void;
}

/** Measures nothing. */

export function createCommandMeasurement(registry: Registry): CommandMeasurement {
  const commands = new Counter({
    name: 'parking_commands_total',
    help: 'Commands of people that ended, by operation and by how: succeeded, failed, timeout',
    labelNames: ['operation', 'outcome'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'parking_command_seconds',
    help: 'From a command to its end, by how it ended',
    labelNames: ['outcome'],
    buckets: OUTSIDE_S,
    registers: [registry],
  });
  const attempts = new Counter({
    name: 'parking_command_attempts_total',
    help: 'Tries of gateways at commands that ended, by how: succeeded, failed, timeout, offline, late',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return {
    ended({ operation, end, took_ms }) {
      const outcome = end.status === 'failed' && end.error === 'Timeout' ? 'timeout' : end.status;
      commands.inc({ operation, outcome });
      durations.observe({ outcome }, Math.max(0, took_ms) / 1_000);
    },
    // The number of the error is not a label: `gateway_error` has it for each.
    attemptEnded: (outcome) => attempts.inc({ outcome: outcome.startsWith('failed') ? 'failed' : outcome }),
  };
}
