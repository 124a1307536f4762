/** A line of a file of members: what becomes of it, and what whoever imports should look at. */
import { isDoubtful, type LineFault, type LineKind, type MemberLine } from '../members/decide-member-lines.js';
import type { MemberColumn } from '../members/member-file-parser.js';
import { plateFaultSentence } from '../wording/plate-fault.js';
import { memberFileWords } from './member-file-words.js';
import { words } from './browser.js';
import { joined } from './parts.js';

export const toneOf = (kind: LineKind | 'doubtful'): string =>
  kind === 'wrong' ? 'bad' : kind === 'new' ? 'good' : kind === 'doubtful' ? 'warn' : '';

export function LineRow({ line }: { line: MemberLine }) {
  const say = memberFileWords;
  return (
    <tr>
      <td>{line.line}</td>
      <td>
        <strong>{line.name}</strong>
        <br />
        <span class={`tag ${toneOf(line.kind)}`}>{say.kinds[line.kind]}</span>
      </td>
      <td>
        <ul class="what">
          {sentencesOf(line).map((each) => (
            <li key={each}>{each}</li>
          ))}
          {doubtsOf(line).map((each) => (
            <li key={each}>
              <span class="tag warn">{each}</span>
            </li>
          ))}
        </ul>
      </td>
    </tr>
  );
}

export function columnName(column: MemberColumn): string {
  const { from: valid_from, until: valid_until } = words.displays;
  return { ...memberFileWords.column, valid_from, valid_until }[column];
}

function faultSentence({ column, fault, about }: LineFault): string {
  const { faults } = memberFileWords;
  const said = fault === 'plate' ? (plateFaultSentence(about, words) ?? about) : faults[fault](about);
  return column === null ? said : `${columnName(column)}: ${said}`;
}

/** What becomes of a line, or why it cannot. */
export function sentencesOf(line: MemberLine): string[] {
  const say = memberFileWords;
  if (line.kind === 'wrong') return line.faults.map(faultSentence);
  const { plates = [], email } = line.body;
  return line.kind === 'new'
    ? [joined([say.isNew, plates.join(', '), email])]
    : line.kind === 'same'
      ? [say.isSame]
      : line.changes.map(
          ({ column, before, after }) =>
            `${columnName(column)}: ${say.becomes(before || say.emptied, after || say.emptied)}`,
        );
}

/** What whoever imports should look at before. */
function doubtsOf(line: MemberLine): string[] {
  const say = memberFileWords;
  if (!isDoubtful(line)) return [];
  const { doubtfulPlate, samePlate } = line;
  return [
    ...(doubtfulPlate === null ? [] : [say.doubtfulPlate(doubtfulPlate)]),
    ...(samePlate.length === 0 ? [] : [say.samePlate(samePlate.slice(0, 3).join(', '))]),
  ];
}
