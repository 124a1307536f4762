/** Shows the doctor's findings, and what to do about them. */
import { useSignal } from '@preact/signals';
import type { DoctorReport } from '../../../shared/doctor/report.js';
import type { ComponentChildren } from 'preact';
import { inGroups } from '../../../shared/doctor/in-groups.js';
import type { Finding } from '../../../shared/doctor/findings.js';
import { countLevels, describeFinding, shownLevelOf } from '../../../shared/doctor/describe-finding.js';
import { Choice } from '../../../shared/page/fields.js';
import { Button, Question } from '../../../shared/page/parts.js';
import { askJson, problemSentence } from './api.js';
import type { LocalView } from '../view/local-view.js';
import { timeOf, words } from './browser.js';
import { Part, Problem } from './local-parts.js';
import { useAsked } from './use-asked.js';

/** Products that move, and a network that does not answer, take their time. */
const EXAMINED_WITHIN_MS = 180_000;

interface DoctorAnswer {
  /** null: it has not looked since the gateway started. */
  report: DoctorReport | null;
}

export function DoctorPart({ view }: { view: LocalView }) {
  const { doctor: say, cancel } = words();
  const { answer, problem } = useAsked<DoctorAnswer>('/api/doctor');
  const isRunning = useSignal(false);
  /** The product that is to move, by its name; empty: none. */
  const cycle = useSignal('');
  const isAsked = useSignal(false);
  const run = async () => {
    isAsked.value = false;
    isRunning.value = true;
    problem.value = null;
    const body = cycle.value === '' ? {} : { cycle: cycle.value };
    try {
      answer.value = await askJson('/api/doctor', { method: 'POST', body, withinMs: EXAMINED_WITHIN_MS });
    } catch (error) {
      problem.value = problemSentence(error);
    } finally {
      isRunning.value = false;
    }
  };
  const report = answer.value?.report ?? null;
  const press = () => {
    if (isRunning.value) return;
    if (cycle.value === '') void run();
    else isAsked.value = true;
  };
  return (
    <Part title={say.title}>
      <div class="card">
        <p>{say.what}</p>
        <div class="pair">
          <Choice
            label={say.cycle}
            value={cycle.value}
            onValue={(value) => (cycle.value = value)}
            options={[
              { value: '', text: say.noCycle },
              ...view.products.filter((each) => each.paired).map(({ name }) => ({ value: name, text: name })),
            ]}
          />
        </div>
        <div class="buttons big">
          <Button look="main" word={say.run} isBusy={isRunning.value} onClick={press} />
        </div>
        <p role="status" class={isRunning.value ? 'notice busy' : 'hidden'}>
          {isRunning.value ? say.running : ''}
        </p>
        <Problem text={problem.value} />
        {report === null ? <p class="hint">{say.none}</p> : <Findings report={report} />}
      </div>
      {isAsked.value && (
        <Question
          title={say.cycleTitle(cycle.value)}
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

function Findings({ report }: { report: DoctorReport }) {
  const { doctor: say, findings } = words();
  return (
    <>
      <p class="facts">
        {say.last(timeOf(new Date(report.at_ms).toISOString()))} {findings.summary(countLevels(report.findings))}
      </p>
      <ul class="findings" aria-label={say.title}>
        {inGroups(report.findings).map(({ finding, following }, at) => (
          <Line key={`${finding.id} ${at}`} finding={finding}>
            {following.length > 0 && (
              <ul class="findings">
                {following.map((each, place) => (
                  <Line key={`${each.id} ${place}`} finding={each} isFollowing />
                ))}
              </ul>
            )}
          </Line>
        ))}
      </ul>
    </>
  );
}

/** Shows a finding. One that follows from another ends with it, and has no advice of its own. */
function Line(props: { finding: Finding; isFollowing?: boolean; children?: ComponentChildren }) {
  const { finding, isFollowing = false, children } = props;
  const { findings } = words();
  const { level, area, says, todo } = describeFinding(finding, findings);
  return (
    <li class={shownLevelOf(finding)}>
      <strong>
        {isFollowing ? findings.follows : level}: {area}
      </strong>
      <span>{says}</span>
      {todo !== null && !isFollowing && <span>{todo}</span>}
      {children}
    </li>
  );
}
