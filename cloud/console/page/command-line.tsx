/** Where a command is, from its press to its end. */
import { failureSentence } from '../wording/sentences.js';
import { words } from './browser.js';
import { type GivenCommand, isPending } from './commands.js';
import { CallShown, Refused } from './parts.js';
import { gateways } from './store.js';

/** Where a command is, said to screen readers as it changes. */
export function CommandLine({ given, withDetails = false }: { given: GivenCommand; withDetails?: boolean }) {
  const { record, refusal } = given;
  const tone = isPending(given) ? 'busy' : refusal !== null || record?.status === 'failed' ? 'bad' : 'good';
  return (
    <div class="command">
      {refusal === null ? (
        <p class={`notice ${tone}`} role="status">
          {sentenceOf(given)}
        </p>
      ) : refusal.status === 0 ? (
        <p class="notice bad" role="alert">
          {words.command.noAnswer}
        </p>
      ) : (
        <Refused refusal={refusal} />
      )}
      {withDetails && record !== null && record.attempts.length > 0 && (
        <details class="call">
          <summary>{words.command.attempts}</summary>
          <ol class="attempts">
            {record.attempts.map((attempt, at) => (
              <li key={at}>{attemptLine(attempt)}</li>
            ))}
          </ol>
        </details>
      )}
      {withDetails && <CallShown call={given.call} event={given.event} />}
    </div>
  );
}

function sentenceOf({ operation, record }: GivenCommand): string {
  const word = words.operations[operation];
  if (record === null) return words.command.sending(word);
  if (record.status === 'pending') return words.command.pending(word);
  if (record.status === 'failed')
    return words.command.failed(word, failureSentence(record.gateway_error?.type ?? 'Timeout', words));
  const ms = record.ended_at === null ? null : Date.parse(record.ended_at) - Date.parse(record.created_at);
  return words.command.succeeded(word, ms);
}

type Attempt = NonNullable<GivenCommand['record']>['attempts'][number];

function attemptLine({ gateway_uuid, rssi, started_at, ended_at, outcome }: Attempt): string {
  const known = gateways.value.find(({ uuid }) => uuid === gateway_uuid);
  return words.command.attempt({
    gateway: known?.name ?? gateway_uuid ?? words.command.noGateway,
    rssi,
    ms: ended_at === null ? null : Date.parse(ended_at) - Date.parse(started_at),
    outcome: outcome ?? words.command.running,
  });
}
