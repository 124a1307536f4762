/** What a subcommand of the cloud prints, for tests. */
import type { CommandIo } from '../../cloud/doors/cli/apply.js';

export interface RecordedIo {
  io: CommandIo;
  out: string[];
  /** Standard error: errors and notes, as they came. */
  err: string[];
}

export function recordIo(): RecordedIo {
  const out: string[] = [];
  const err: string[] = [];
  const into = (lines: string[]) => (line: string) => void lines.push(line);
  return { io: { out: into(out), err: into(err), note: into(err) }, out, err };
}
