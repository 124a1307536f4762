/** What the doctor finds, and what to do about it. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Check } from '../../../shared/page/fields.js';
import { Button, Question } from '../../../shared/page/parts.js';
import { ApiProblem, askJson, problemSentence } from './api.js';
import { language, timeOf, words } from './browser.js';
import { Part } from './local-parts.js';

interface Finding {
  id: string;
  level: 'ok' | 'warning' | 'failure';
  about: string | null;
  facts: Record<string, string | number | null>;
}

interface Report {
  at_ms: number;
  findings: Finding[];
}

/** Products that move, and a network that does not answer, take their time. */
const EXAMINED_WITHIN_MS = 180_000;

export function DoctorPart() {
  const { doctor: say, cancel } = words();
  const report = useSignal<Report | null>(null);
  const problem = useSignal<string | null>(null);
  const isRunning = useSignal(false);
  const withCycle = useSignal(false);
  const isAsked = useSignal(false);
  useEffect(() => {
    askJson<Report | { report: Report | null }>('/api/doctor').then(
      (answer) => (report.value = reportOf(answer)),
      (error: unknown) => {
        // None was made yet.
        if (!(error instanceof ApiProblem && error.status === 404)) problem.value = problemSentence(error);
      },
    );
  }, []);
  const run = async () => {
    isAsked.value = false;
    isRunning.value = true;
    problem.value = null;
    try {
      const body = withCycle.value ? { cycle: true } : {};
      report.value = reportOf(await askJson('/api/doctor', { method: 'POST', body, withinMs: EXAMINED_WITHIN_MS }));
    } catch (error) {
      problem.value = problemSentence(error);
    } finally {
      isRunning.value = false;
    }
  };
  const press = () => {
    if (isRunning.value) return;
    if (withCycle.value) isAsked.value = true;
    else void run();
  };
  return (
    <Part title={say.title}>
      <div class="card">
        <p>{say.what}</p>
        <Check label={say.cycle} value={withCycle.value} onValue={(value) => (withCycle.value = value)} />
        <div class="buttons big">
          <Button look="main" word={say.run} isBusy={isRunning.value} onClick={press} />
        </div>
        <p role="status" class={isRunning.value ? 'notice busy' : 'hidden'}>
          {isRunning.value ? say.running : ''}
        </p>
        {problem.value !== null && (
          <p class="notice bad" role="alert">
            {problem.value}
          </p>
        )}
        {report.value === null ? <p class="hint">{say.none}</p> : <Findings report={report.value} />}
      </div>
      {isAsked.value && (
        <Question
          title={say.cycleTitle}
          yes={say.cycleYes}
          no={cancel}
          isNoFirst
          onYes={run}
          onNo={() => (isAsked.value = false)}
        >
          <p>{say.cycleWhat}</p>
        </Question>
      )}
    </Part>
  );
}

const reportOf = (answer: Report | { report: Report | null }): Report | null =>
  'findings' in answer ? answer : answer.report;

function Findings({ report }: { report: Report }) {
  const { doctor: say } = words();
  return (
    <>
      <p class="facts">{say.last(timeOf(new Date(report.at_ms).toISOString()))}</p>
      <ul class="findings" lang={language.value}>
        {report.findings.map((finding, at) => (
          <li key={`${finding.id} ${at}`} class={finding.level}>
            <strong>{finding.about ?? finding.id}</strong>
          </li>
        ))}
      </ul>
    </>
  );
}
