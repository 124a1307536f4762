/** `parking-agent doctor` */
import { type Finding, found } from '../../shared/doctor/findings.js';
import { countLevels } from '../../shared/doctor/describe-finding.js';
import { boundFindings, doctorReportSchema, type DoctorReport } from '../../shared/doctor/report.js';
import { errorText } from '../../shared/error-text.js';
import { printableJson } from '../../shared/node/printable.js';
import { SettingsError } from '../../shared/settings.js';
import { systemClock } from '../../shared/system-clock.js';
import { VERSION } from '../../shared/version.js';
import type { AgentConfig } from '../config.js';
import { lookAtDevice } from '../doctor/look-at-device.js';
import type { DoctorQuestion } from '../doctor/question-checks.js';
import { withHolderNamed } from '../doctor/probe-adapter.js';
import { NOBODY_KNOWN, probePort } from '../doctor/probe-port.js';
import { renderReport } from '../doctor/render-report.js';
import { askWhether } from './ask-person.js';
import { GatewayFaultError, NoGatewayError, orderGateway } from './local-client.js';

/** The checks take 15 s at most, an opening and a closing two minutes. */
const REPORT_WITHIN_MS = 20_000;
const CYCLE_WITHIN_MS = 150_000;

export interface DoctorOptions extends DoctorQuestion {
  yes?: boolean;
  json?: boolean;
}

/**
 * Asks the running gateway to look at itself; without one looks at the device alone.
 * @returns what to print, and whether nothing has failed
 * @throws SettingsError when it is used wrongly; Error when the gateway cannot do what was asked for
 */
export async function runDoctor(
  config: AgentConfig,
  options: DoctorOptions,
): Promise<{ text: string; isWell: boolean }> {
  const { cycle, plate, camera, yes = false, json = false } = options;
  const question = { cycle, plate, camera };
  if (camera !== undefined && plate === undefined) throw new SettingsError(['--camera: it goes with --plate']);
  if (cycle !== undefined && !yes) await askWay(cycle);
  const report = await reportOf(config, question);
  const isWell = countLevels(report.findings).failures === 0;
  if (json) return { text: printableJson(report, 2), isWell };
  const { isTTY, columns } = process.stdout;
  const isColoured = isTTY && process.stdout.hasColors();
  return { text: renderReport(report, { width: isTTY ? (columns ?? 80) : null, isColoured }), isWell };
}

/** Opening moves steel: nobody does it by a slip. */
async function askWay(product: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new SettingsError([`--cycle: this opens and closes ${product}; add --yes where nobody can be asked`]);
  const question = `This opens and closes ${product}. Is the way free of people and vehicles?`;
  if (!(await askWhether(question, '--yes'))) throw new SettingsError(['--cycle: nothing was moved']);
}

async function reportOf(config: AgentConfig, question: DoctorQuestion): Promise<DoctorReport> {
  const isAsking = question.cycle !== undefined || question.plate !== undefined;
  try {
    const answer = await orderGateway<DoctorReport>(config, {
      path: '/doctor',
      body: question,
      withinMs: question.cycle === undefined ? REPORT_WITHIN_MS : CYCLE_WITHIN_MS,
    });
    const { version } = answer;
    const other =
      version === VERSION ? [] : [found('gateway.other_version', null, { running: version, installed: VERSION })];
    const report = doctorReportSchema.parse(answer);
    return { ...report, findings: boundFindings([...other, ...(await withHolderNamed(report.findings))]) };
  } catch (error) {
    // The checks that were asked for need the gateway.
    if (isAsking || error instanceof GatewayFaultError) throw error;
    return lookAtDevice({
      ...config,
      clock: systemClock,
      version: VERSION,
      first: await whyNotAsked(config, error),
    });
  }
}

async function whyNotAsked(config: AgentConfig, error: unknown): Promise<Finding[]> {
  const url = `http://${config.httpHost}:${config.httpPort}`;
  const port = await probePort(config);
  if (error instanceof NoGatewayError) return [found('gateway.not_running', null, { url }), ...port];
  // It may be a gateway of another user, unless it is known to be something else.
  const others = port.filter(({ facts }) => facts['program'] !== NOBODY_KNOWN);
  return others.length > 0 ? others : [found('gateway.not_asked', null, { problem: errorText(error) })];
}
