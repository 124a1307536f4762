/** Runs the checks of `doctor` side by side, each for a few seconds at most, and makes the report. */
import type { Clock } from '../../shared/clock.js';
import { errorText } from '../../shared/error-text.js';
import { type Finding, found } from '../../shared/doctor/findings.js';
import { boundFindings, type DoctorReport } from '../../shared/doctor/report.js';
import { oneAtATime } from '../waiting/one-at-a-time.js';

/** With its end by the signal, and the start of the program that asks, a person has the report within 6 s whatever is silent. */
const CHECK_WITHIN_MS = 4_500;

export interface DoctorCheck {
  /** For people, when it does not end. */
  name: string;
  /** Has to end when the signal is aborted; whatever it does later is not waited for. */
  run(signal: AbortSignal): Promise<readonly Finding[]> | readonly Finding[];
}

export interface DoctorDeps {
  clock: Clock;
  version: string;
  isRunning: boolean;
  /** In the order of the report. */
  checks: readonly DoctorCheck[];
  /** Called once with each report. */
  onReport(report: DoctorReport): void;
}

export interface Doctor {
  /** Runs all checks. While a run is under way, everybody who asks gets that one. */
  run(): Promise<DoctorReport>;
}

export function createDoctor(deps: DoctorDeps): Doctor {
  const { clock, version, isRunning, checks } = deps;
  /** Checks that did not end in time and are still at it: they are not begun a second time. */
  const busy = new Set<DoctorCheck>();

  async function runAll(): Promise<DoctorReport> {
    const startedMs = clock.monotonic();
    const findings = await Promise.all(checks.map((check) => runOne(check, { clock, busy })));
    const report = {
      version,
      at_ms: Math.max(0, Math.round(clock.now())),
      took_ms: Math.round(clock.monotonic() - startedMs),
      is_running: isRunning,
      findings: boundFindings(findings.flat()),
    };
    deps.onReport(report);
    return report;
  }

  return { run: oneAtATime(runAll) };
}

function runOne(
  check: DoctorCheck,
  { clock, busy }: { clock: Clock; busy: Set<DoctorCheck> },
): Promise<readonly Finding[]> {
  const late = [found('check.late', null, { check: check.name })];
  if (busy.has(check)) return Promise.resolve(late);
  busy.add(check);
  const controller = new AbortController();
  const ended = Promise.resolve()
    .then(() => check.run(controller.signal))
    .catch((error: unknown) => [found('check.failed', null, { check: check.name, problem: errorText(error) })])
    .finally(() => busy.delete(check));
  return new Promise((resolve) => {
    const timer = clock.setTimer(CHECK_WITHIN_MS, () => {
      controller.abort(new Error('no answer in time'));
      // A check that is ended by the signal still says how far it was.
      const last = clock.setTimer(GRACE_MS, () => resolve(late));
      void ended.then((findings) => {
        last.cancel();
        resolve(findings);
      });
    });
    void ended.then((findings) => {
      timer.cancel();
      resolve(findings);
    });
  });
}

/** How long a check may take to end by its signal. */
const GRACE_MS = 500;
