/** Renders the test and the setup of a camera for a person at a shell. */
import type { ShownFact } from '../../shared/access/explain-access.js';
import { renderFacts, renderTable } from '../../shared/node/text-table.js';
import type { ClockReport } from '../lpr/presence/camera-clocks.js';
import type { SetupReport } from '../lpr/setup/camera-setups.js';
import type { CameraProbed, TestedPicture, TestedRead } from '../lpr/setup/camera-tests.js';

/** One line: whether the camera is there. */
export function renderProbed({ device_id, driver, address, probe }: CameraProbed): string {
  const where = address === '' ? driver : `${driver}, ${address}`;
  return `${device_id} (${where}): ${probeWords(probe)}`;
}

function probeWords(probe: CameraProbed['probe']): string {
  if (probe === null) return 'cannot be asked; its reads show that it is there';
  if (!probe.isThere) return `NOT THERE: ${probe.problem}`;
  const condition = probe.condition === undefined ? '' : ` (${probe.condition})`;
  return probe.problem === null ? 'answers' : `answers${condition}, but ${probe.problem}`;
}

/** Lists the plates that were read, the decision, and why. */
export function renderTestedRead(read: TestedRead, width?: number): string {
  const { decision, candidates, pictures } = read;
  const also = candidates.map(({ raw_plate, confidence }) => `${raw_plate}${sure(confidence)}`).join(', ');
  const vehicle = [read.type, read.make, read.model, read.color, read.country_code].filter((each) => each !== null);
  const named: [name: string, text: string][] = [
    ['plate', `${decision?.plate ?? '-'}  the camera wrote "${read.raw_plate}"${sure(read.confidence)}`],
    ...(also === '' ? [] : [['or', also] as [string, string]]),
    ['direction', `${decision?.direction ?? '-'}  the camera saw: ${read.movement}`],
    ['time', `${read.event_at}  ${clockWords(read)}`],
    ['vehicle', vehicle.length === 0 ? '-' : vehicle.join(', ')],
    ['picture', pictures.full === null ? offered(pictures.full_address) : pictureWords(pictures.full)],
    ['of plate', pictures.plate === null ? 'none sent' : pictureWords(pictures.plate)],
    ['decision', decisionWords(decision)],
  ];
  const facts = renderFacts(named, width);
  if (decision === null) return facts.join('\n');
  const rules = renderTable(
    ['rule', 'outcome', 'what it saw'],
    decision.rules.map(({ rule, outcome, facts: saw }) => [rule, outcome, factWords(saw)]),
    width,
  );
  const others = decision.what_would_change.map((other) => [
    other.fact,
    String(other.value),
    String(other.instead),
    `${other.access_decision ?? 'undecided'}${because(other.access_decision_reason)}`,
  ]);
  return [
    ...facts,
    '',
    ...rules,
    ...(others.length === 0 ? [] : ['', ...renderTable(['would differ with', 'is', 'instead', 'then'], others, width)]),
  ].join('\n');
}

const sure = (confidence: number | null): string => (confidence === null ? '' : ` (${confidence.toFixed(2)})`);
const because = (reason: string | null): string => (reason === null ? '' : `: ${reason}`);
const offered = (address: string | null): string =>
  address === null ? 'none sent' : `none sent; the camera offers it at ${address}`;

/** Renders what is known of a camera's clock after it was measured again. */
export function renderClock(name: string, { was_behind_ms, behind_ms, by }: ClockReport): string {
  const was = was_behind_ms === null ? 'was not known' : `was taken to be ${offWords(was_behind_ms)}`;
  const is =
    behind_ms === null
      ? 'The next read within 30 s of its capture shows it, or two reads that agree, at least 30 s apart.'
      : `It is ${offWords(behind_ms)}, ${by === 'camera' ? 'as the camera says' : 'by its last read'}.`;
  return `${name}: its clock ${was}. ${is}`;
}

const offWords = (behind_ms: number): string =>
  `${(Math.abs(behind_ms) / 1000).toFixed(1)} s ${behind_ms >= 0 ? 'behind' : 'ahead'}`;

function clockWords({ clock_behind_ms, is_history, late_ms, retransmission }: TestedRead): string {
  if (late_ms !== null) {
    const seconds = (late_ms / 1000).toFixed(1);
    return `${seconds} s before it came, by the camera's clock: of the past, it opens nothing. IS THE CLOCK RIGHT?`;
  }
  if (is_history) return 'of the past: it opens nothing';
  if (retransmission) return 'sent late by the camera';
  if (clock_behind_ms === null) return 'when it arrived: the camera says no time';
  return `the camera's clock is ${offWords(clock_behind_ms)}`;
}

function pictureWords({ bytes, size, is_whole }: TestedPicture): string {
  const pixels = size === null ? 'size unknown' : `${size.width} x ${size.height}`;
  return `${pixels}, ${Math.ceil(bytes / 1024)} KiB${is_whole ? '' : ', NOT WHOLE: it is not kept'}`;
}

function decisionWords(decision: TestedRead['decision']): string {
  if (decision === null)
    return 'none: a sighting, because no plate is usable, or it is not sure enough (min_confidence)';
  const { access_decision, access_decision_reason, opens } = decision;
  const made = `${access_decision ?? 'undecided'}${because(access_decision_reason)}`;
  return `${made}; ${opens === null ? 'nothing is opened' : `opens ${opens}`}`;
}

const factWords = (facts: Record<string, ShownFact>): string =>
  Object.entries(facts)
    .map(([name, value]) => `${name}=${value ?? '-'}`)
    .join(' ');

/**
 * Lists the settings that would be changed, or were changed, and those that are left to a person.
 * @param name of the camera, as `cameras setup` knows it
 */
export function renderCameraSetup(name: string, { changes, byHand, isDone }: SetupReport): string[] {
  return [
    ...(changes.length === 0
      ? ['nothing to change']
      : [isDone ? 'changed:' : 'would change:', ...changes.map((each) => `  ${each}`)]),
    ...(byHand.length === 0 ? [] : ['by hand:', ...byHand.map((each) => `  ${each}`)]),
    ...(isDone || changes.length === 0 ? [] : [`do it: parking-agent cameras setup ${name} --yes (and back: --undo)`]),
  ];
}
