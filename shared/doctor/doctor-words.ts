/** The words of a language for the findings of `doctor`. */
import type { FindingArea, FindingId, ShownLevel } from './findings.js';

/** The words for a finding: `{fact}` stands for a fact, `{fact±}` for one with its side. A finding without a fault needs no `todo`, and none names a command: pages show it. */
export interface FindingWords {
  says: string;
  todo?: string;
}

/** The words for what a gateway operates and hears. */
export type EquipmentFindingWords = Record<Extract<FindingId, `${EquipmentArea}.${string}`>, FindingWords>;
type EquipmentArea = 'radio' | 'product' | 'cycle' | 'camera' | 'decision' | 'sensor' | 'display';

type ReachArea = 'network' | 'dns' | 'cloud' | 'broker' | 'session' | 'certificate' | 'authority';

/** The words for how cloud and broker are reached, which stand in files of their own (`reach`). */
export type ReachWords = Record<Extract<FindingId, `${ReachArea}.${string}`>, FindingWords>;

/** The findings of a shell, where no gateway answers: their words are the agent's (`shell-words.ts`). */
export type ShellFindingId = Extract<
  FindingId,
  | 'gateway.not_running'
  | 'gateway.not_asked'
  | 'gateway.other_version'
  | 'gateway.erasing'
  | `gateway.identity_${string}`
  | `gateway.port_${string}`
>;

export interface DoctorWords {
  levels: Record<ShownLevel, string>;
  areas: Record<FindingArea, string>;
  findings: Record<Exclude<FindingId, ShellFindingId>, FindingWords>;
  /** Facts that are names of the interface: reasons of decisions, operations, sources of the time. */
  values: Record<string, string>;
  /** For a finding that only a later version of the gateway knows. */
  unknown: string;
  /** For a duration: one text for each unit, with `{n}`. */
  durations: { s: string; min: string; h: string; days: string };
  /** Before what follows from the finding above it. */
  follows: string;
  /** For a duration with its side, `{off_s±}`: the fact is positive for what is ahead. `{n}` is the duration. */
  sides: { ahead: string; behind: string };
  /** @param counts.following how many of the failures and warnings follow from others, and are not counted among them */
  summary(counts: { failures: number; warnings: number; following: number; oks: number; unknowns: number }): string;
}
