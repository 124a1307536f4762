/**
 * The view for service: pushes of cameras that were not understood, the log, the file for support, the way back to the
 * factory's state.
 */
import { useSignal } from '@preact/signals';
import { Button } from '../../../shared/page/parts.js';
import { Choice } from '../../../shared/page/fields.js';
import type { LocalView } from '../view/local-view.js';
import { ApiProblem, ask, problemSentence } from './api.js';
import { timeOf, words } from './browser.js';
import { Part, Problem } from './local-parts.js';
import { ResetPart } from './reset-part.js';
import { useAsked } from './use-asked.js';

export function ServiceView({ view }: { view: LocalView }) {
  return (
    <>
      <h1 tabIndex={-1}>{words().views.service}</h1>
      <SupportPart />
      <RefusedPart view={view} />
      <LogPart />
      <ResetPart name={view.name ?? view.uuid} />
    </>
  );
}

const SUPPORT_WITHIN_MS = 30_000;

function SupportPart() {
  const { service: say, download } = words();
  const isMaking = useSignal(false);
  const problem = useSignal<string | null>(null);
  const fetchFile = async () => {
    if (isMaking.value) return;
    isMaking.value = true;
    problem.value = null;
    try {
      const response = await ask('/api/support-file', { withinMs: SUPPORT_WITHIN_MS });
      const [, name] = /filename="([\w.-]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
      const file = await response.blob().catch(() => null);
      if (file === null) throw new ApiProblem(0, []);
      save(file, name ?? 'support.json');
    } catch (error) {
      problem.value = problemSentence(error);
    } finally {
      isMaking.value = false;
    }
  };
  return (
    <Part title={say.support}>
      <div class="card">
        <p>{say.supportWhat}</p>
        <div class="buttons">
          <Button
            look="main"
            word={isMaking.value ? say.making : download}
            isBusy={isMaking.value}
            onClick={fetchFile}
          />
        </div>
        <Problem text={problem.value} />
      </div>
    </Part>
  );
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // Not at once: the browser still has to read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

interface RefusedPush {
  name: string;
  at: string;
  camera_device_id: string;
  driver: string;
  reason: string;
  content_type: string;
  bytes: number;
}

function RefusedPart({ view }: { view: LocalView }) {
  const { service: say } = words();
  const { answer, problem, again } = useAsked<{ pushes: RefusedPush[] }>('/api/quarantine');
  const nameOf = (deviceId: string) => view.cameras.find((camera) => camera.device_id === deviceId)?.name ?? deviceId;
  return (
    <Part title={say.refused}>
      <p class="hint">{say.refusedWhat}</p>
      <Problem text={problem.value} />
      {answer.value?.pushes.length === 0 && <p>{say.noRefused}</p>}
      <ul class="rows">
        {answer.value?.pushes.map((push) => (
          <Refused key={push.name} push={push} camera={nameOf(push.camera_device_id)} />
        ))}
      </ul>
      <div class="buttons">
        <Button look="small" word={say.refresh} label={`${say.refresh}: ${say.refused}`} onClick={again} />
      </div>
    </Part>
  );
}

function Refused({ push, camera }: { push: RefusedPush; camera: string }) {
  const { service: say, download } = words();
  const isShown = useSignal(false);
  const path = `/api/quarantine/${push.name}`;
  const { answer, problem } = useAsked<{ text?: string; hex?: string; is_cut: boolean }>(isShown.value ? path : null);
  const at = timeOf(push.at, true);
  return (
    <li class="card">
      <strong>
        {camera}, {at}
      </strong>
      <p>{push.reason}</p>
      <p class="facts">
        {push.driver} · {push.content_type} · {say.bytes(push.bytes)}
      </p>
      <div class="buttons">
        <Button
          look="small"
          word={isShown.value ? say.hide : say.show}
          about={`${camera}, ${at}`}
          isExpanded={isShown.value}
          onClick={() => (isShown.value = !isShown.value)}
        />
        <a class="button small" href={`${path}?download`} download aria-label={`${download}: ${camera}, ${at}`}>
          {download}
        </a>
      </div>
      <Problem text={problem.value} />
      {isShown.value && answer.value !== null && (
        <>
          {/* As text: whatever a camera sent, or somebody in its name, is shown and never run. */}
          <pre tabIndex={0}>{answer.value.text ?? answer.value.hex}</pre>
          {answer.value.is_cut && <p class="hint">{say.cut}</p>}
        </>
      )}
    </li>
  );
}

interface LogLine {
  seq?: number;
  time: string;
  level: string;
  message: string;
  fields: Record<string, unknown>;
}

function LogPart() {
  const { service: say } = words();
  const level = useSignal('info');
  const { answer, problem, again } = useAsked<{ lines: LogLine[] }>(`/api/logs?lines=200&level=${level.value}`);
  const lines = [...(answer.value?.lines ?? [])].reverse();
  return (
    <Part title={say.log}>
      <p class="hint">{say.logWhat}</p>
      <div class="pair">
        <Choice
          label={say.level}
          value={level.value}
          onValue={(value) => (level.value = value)}
          options={Object.entries(say.levels).map(([value, text]) => ({ value, text }))}
        />
      </div>
      <Problem text={problem.value} />
      {answer.value !== null && lines.length === 0 && <p>{say.noLog}</p>}
      {lines.length > 0 && (
        <ol class="log" tabIndex={0} aria-label={say.log}>
          {lines.map((line, at) => (
            <li key={line.seq ?? at} class={line.level}>
              <span class="facts">
                {timeOf(line.time, true)} {line.level}
              </span>{' '}
              {line.message} <code>{fieldsText(line.fields)}</code>
            </li>
          ))}
        </ol>
      )}
      <div class="buttons">
        <Button look="small" word={say.refresh} label={`${say.refresh}: ${say.log}`} onClick={again} />
      </div>
    </Part>
  );
}

/** `address=10.0.0.3 reason="…"` */
const fieldsText = (fields: Record<string, unknown>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
