/** `doctor` in the running gateway: keeps its last report, and tells the cloud. */
import type { Clock } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import type { Finding } from '../../shared/doctor/findings.js';
import { countLevels } from '../../shared/doctor/describe-finding.js';
import { boundFindings, type DoctorReport } from '../../shared/doctor/report.js';
import { PLATE_LENGTH_MAX } from '../../shared/plate/normalise-plate.js';
import type { Asking } from '../command/local-actions.js';
import { type DeviceCheckDeps, deviceChecks } from './device-checks.js';
import { createDoctor } from './doctor.js';
import { type GatewayCheckDeps, gatewayChecks } from './gateway-checks.js';
import { cycledProduct, DoctorBusyError, type DoctorQuestion, openAndClose, testPlates } from './question-checks.js';

export interface GatewayDoctor {
  /**
   * Looks at everything, and answers the report. While a run is under way, another caller gets that one, with what they asked for beside it.
   * @param by the person who asks, where a product is moved for them
   * @throws DoctorQuestionError, DoctorBusyError
   */
  run(question: DoctorQuestion, by: Asking): Promise<DoctorReport>;
  /** The same without a question: nothing moves. */
  run(): Promise<DoctorReport>;
  /** null: it has not run since the gateway started. */
  last(): DoctorReport | null;
  /** Tells the cloud the last report again. */
  report(): void;
}

export function createGatewayDoctor(
  deps: GatewayCheckDeps &
    DeviceCheckDeps & { clock: Clock; logger: Logger; version: string; publish(report: DoctorReport): void },
): GatewayDoctor {
  const { clock, version, logger } = deps;
  const checks = [...gatewayChecks(deps), ...deviceChecks(deps)];
  let last: DoctorReport | null = null;
  let isCycling = false;

  function keep(report: DoctorReport): void {
    last = report;
    deps.publish(report);
    logger.info({ ...countLevels(report.findings), took_ms: report.took_ms }, 'doctor looked at this gateway');
  }
  const doctor = createDoctor({ clock, version, isRunning: true, checks, onReport: keep });

  async function cycle(name: string, by: Asking): Promise<Finding[]> {
    isCycling = true;
    try {
      return await openAndClose(deps, cycledProduct(deps, name), by);
    } finally {
      isCycling = false;
    }
  }

  return {
    async run(question: DoctorQuestion = {}, by?: Asking) {
      const startedMs = clock.monotonic();
      const tested = testPlates(deps, question);
      // The decision on a plate says something about a person.
      if (question.plate !== undefined && by !== undefined)
        void deps.actions.note('ask_plate', { ...by, plate: question.plate.slice(0, PLATE_LENGTH_MAX) });
      if (question.cycle !== undefined) cycledProduct(deps, question.cycle);
      if (question.cycle !== undefined && isCycling)
        throw new DoctorBusyError('a product is being opened and closed already: wait for it');
      const [report, cycled] = await Promise.all([
        doctor.run(),
        question.cycle === undefined || by === undefined ? [] : cycle(question.cycle, by),
      ]);
      if (tested.length + cycled.length === 0) return report;
      const findings = boundFindings([...tested, ...cycled, ...report.findings]);
      const whole = { ...report, findings, took_ms: Math.round(clock.monotonic() - startedMs) };
      keep(whole);
      return whole;
    },
    last: () => last,
    report: () => last !== null && deps.publish(last),
  };
}
