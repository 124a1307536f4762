/** Judges a camera by the knowledge of the gateway, and by its answer to a probe. Pure. */
import { type Finding, found } from '../../shared/doctor/findings.js';
import { isClockOff } from '../../shared/troubles/rules.js';
import type { ProbeAnswer, ProbeFault } from '../lpr/camera.js';
import type { PushFault } from '../lpr/presence/camera-states.js';
import type { MisdirectedPush } from '../lpr/push/misdirected-pushes.js';

const QUIET_S = 24 * 3_600;
/** The gateway's own rounds take a camera for there that has sent something since the one before. */
const LATELY_S = 60;

export interface CameraFacts {
  name: string;
  driver: string;
  /** As its settings have it; empty: none. */
  address: string;
  push_without_key: boolean;
  /** Why this gateway cannot serve it; null: it can. */
  unserved: string | null;
  /** The answer to a probe now; null: cameras of its driver cannot be probed. */
  probe: ProbeAnswer | null;
  /** By its pushes and the probes of the gateway's own rounds. */
  status: 'online' | 'offline' | null;
  problem: string | null;
  /** Why nothing of its last push was read; null: it was read, or the camera does not push. */
  push_fault: PushFault | null;
  /** How long ago it last sent anything; null: never since the gateway started. */
  seen_ago_s: number | null;
  /** How far its clock is behind; null: not known. */
  clock_behind_s: number | null;
}

export function decideCamera(camera: CameraFacts): Finding[] {
  const { name, address, unserved, probe, status, problem, clock_behind_s, push_fault } = camera;
  if (unserved !== null) return [found('camera.unserved', name, { problem: unserved })];
  const pushes = push_fault === null ? [] : [ofPush(push_fault, camera)];
  if (probe?.isThere === false) return [offline(name, address, probe.problem), ...pushes];
  if (probe?.condition === 'auth') return [found('camera.refused', name, { problem: probe.problem }), ...pushes];
  if (probe?.fault !== undefined) return [ofAnswer(probe.fault, camera), ...pushes];
  // Its silence alone says nothing of a camera that speaks of vehicles only.
  if (probe === null && status === 'offline' && problem !== null) return [offline(name, address, problem), ...pushes];
  const problems = [...pushes];
  const isClockWrong = clock_behind_s !== null && isClockOff(clock_behind_s * 1_000);
  if (isClockWrong) problems.push(found('camera.clock_wrong', name, { off_s: -clock_behind_s }));
  // The result of the gateway's own rounds may be older than the probe, and has the clock and the push as well.
  const shown = probe?.problem ?? (problems.length > 0 ? null : problem);
  if (shown !== null) problems.push(found('camera.problem', name, { problem: shown }));
  else if (pushes.length === 0) problems.push(...ofSilence(camera));
  if (camera.push_without_key) problems.push(found('camera.without_key', name, {}));
  return problems.length > 0 ? problems : [ofPresence(camera)];
}

/** The reason names no address where nobody answered in time. */
const offline = (name: string, address: string, problem: string | null): Finding => {
  const host = URL.canParse(address) ? new URL(address).host : address;
  const isNamed = problem === null || host === '' || problem.includes(host);
  return found('camera.offline', name, { problem: isNamed ? problem : `${problem} (${host})` });
};

function ofAnswer(fault: ProbeFault, { name, address, driver }: CameraFacts): Finding {
  if (fault.kind === 'redirects') return found('camera.redirects', name, { address, to: fault.to });
  const id = fault.kind === 'stranger' ? 'camera.stranger' : 'camera.no_interface';
  return found(id, name, { address, driver, answer: fault.answer });
}

function ofPush(fault: PushFault, { name, driver }: CameraFacts): Finding {
  switch (fault.kind) {
    case 'wrong_key':
      return found('camera.wrong_key', name, { from: fault.from });
    case 'wrong_driver':
      return found('camera.wrong_driver', name, { posted: fault.posted, driver, from: fault.from });
    case 'not_understood':
      return found('camera.not_understood', name, { problem: fault.reason });
  }
}

function ofSilence({ name, probe, seen_ago_s }: CameraFacts): Finding[] {
  if (seen_ago_s !== null && seen_ago_s <= QUIET_S) return [];
  const isProven = probe !== null && probe.isThere && probe.isUnproven !== true;
  return [found(isProven ? 'camera.quiet' : 'camera.unheard', name, {})];
}

function ofPresence({ name, probe, seen_ago_s: seen_s }: CameraFacts): Finding {
  const isProven = probe !== null && probe.isThere && probe.isUnproven !== true;
  const isHeard = seen_s !== null && seen_s <= LATELY_S;
  return found(isProven || isHeard ? 'camera.ok' : 'camera.unknown', name, { seen_s });
}

/** Those who push as a camera that this gateway does not have. */
export const decideMisdirected = (pushes: readonly MisdirectedPush[]): Finding[] =>
  pushes.map(({ camera, from }) => found('camera.misdirected', null, { camera, from }));
