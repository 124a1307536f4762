/** What a subcommand of the cloud prints, for tests. */
import type { CommandIo } from '../../cloud/doors/cli/apply.js';

export interface RecordedIo {
  io: CommandIo;
  out: string[];
  /** Standard error: errors and notes, as they came. */
  err: string[];
  /** Both, as they came. */
  all: string[];
}

export function recordIo(): RecordedIo {
  const out: string[] = [];
  const err: string[] = [];
  const all: string[] = [];
  const into = (lines: string[]) => (line: string) => {
    lines.push(line);
    all.push(line);
  };
  return { io: { out: into(out), err: into(err), note: into(err) }, out, err, all };
}
