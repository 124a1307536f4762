/** Members from a file: chosen or pasted, looked at line by line, then sent. */
import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isDoubtful, type LineKind, type MemberLine } from '../members/decide-member-lines.js';
import { csvFile } from '../members/member-csv.js';
import { type FileFault, LINES_MAX } from '../members/member-file-parser.js';
import { textOfFile } from '../members/text-of-file.js';
import type { Refusal } from '../wording/sentences.js';
import { words } from './browser.js';
import { TextArea } from './fields.js';
import { saveFile } from './files.js';
import {
  chooseFile,
  chosenFile,
  forgetFile,
  importState,
  judgedBy,
  memberFile,
  memberLines,
  type Outcome,
  outcomes,
  readJudges,
  runImport,
  stopImport,
  waitingLines,
} from './member-import.js';
import { columnName, doubtsOf, LineRow, sentencesOf, toneOf } from './member-line-part.js';
import { Button, Empty, Refused, Notice } from './parts.js';
import { refusalOf } from './session.js';

const MEGABYTES_MAX = 2;
const MEGABYTE = 1_048_576;

export function MemberImport() {
  const refusal = useSignal<Refusal | null>(null);
  const read = async () => {
    try {
      await readJudges();
      refusal.value = null;
    } catch (error) {
      refusal.value = refusalOf(error);
    }
  };
  useEffect(() => void read(), []);
  return (
    <>
      <ChooseFile />
      <Refused refusal={refusal.value} onAgain={() => void read()} />
      {judgedBy.value === null && refusal.value === null && <Empty>{words.memberFile.checking}</Empty>}
      {judgedBy.value !== null && memberFile.value !== null && <DryRun onAnother={() => void read()} />}
    </>
  );
}

function ChooseFile() {
  const fault = useSignal('');
  const say = words.memberFile;
  const { text, name } = chosenFile.value;
  const isBusy = importState.value !== 'idle';
  const choose = async (file: File | undefined) => {
    fault.value = '';
    if (file === undefined) return;
    if (file.size > MEGABYTES_MAX * MEGABYTE) {
      fault.value = say.tooLarge(MEGABYTES_MAX);
      return;
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    chooseFile({ ...textOfFile(bytes, say.legacyEncoding), name: file.name });
  };
  const template = () => saveFile('example.csv', csvFile(say.example.header, [[...say.example.line, exampleGroup()]]));
  return (
    <section class="card" aria-label={say.title}>
      <p>
        <strong>{say.what}</strong> {say.columns}
      </p>
      <p class="hint">{say.columnsMore}</p>
      <div class="buttons">
        <label class={`button main file${isBusy ? ' off' : ''}`}>
          {say.choose}
          <input
            type="file"
            accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values"
            disabled={isBusy}
            onChange={(event) => {
              void choose(event.currentTarget.files?.[0]);
              // The same file can be chosen again after it was mended.
              event.currentTarget.value = '';
            }}
          />
        </label>
        <Button word={say.template} onClick={template} />
        {text !== '' && !isBusy && outcomes.value.size === 0 && <Button word={say.another} onClick={forgetFile} />}
      </div>
      <p class={fault.value === '' ? 'hint' : 'fault'} role="status">
        {fault.value || name || say.chooseHint}
      </p>
      {!isBusy && name === '' && (
        <TextArea
          label={say.paste}
          rows={text === '' ? 3 : 8}
          value={text}
          onValue={(value) => chooseFile({ text: value, name: '', encoding: '' })}
        />
      )}
    </section>
  );
}

const exampleGroup = (): string => judgedBy.value?.groups[0]?.name ?? '';

function fileFaultSentence(fault: FileFault): string {
  const { fileFaults } = words.memberFile;
  switch (fault.kind) {
    case 'columnTwice':
      return fileFaults.columnTwice(columnName(fault.column));
    case 'openQuote':
      return fileFaults.openQuote(fault.line);
    case 'tooManyLines':
      return fileFaults.tooManyLines(fault.count, LINES_MAX);
    default:
      return fileFaults[fault.kind];
  }
}

const FILTERS = ['wrong', 'doubtful', 'new', 'changed', 'same'] as const;

const fits = (line: MemberLine, filter: LineKind | 'doubtful'): boolean =>
  filter === 'doubtful' ? isDoubtful(line) : line.kind === filter;

const PAGE = 100;

function DryRun({ onAnother }: { onAnother: () => void }) {
  const only = useSignal<LineKind | 'doubtful' | null>(null);
  const shownMax = useSignal(PAGE);
  const lines = memberLines.value;
  const counts = useComputed(
    () => new Map(FILTERS.map((filter) => [filter, memberLines.value.filter((each) => fits(each, filter)).length])),
  );
  const file = memberFile.value;
  if (file === null) return null;
  const say = words.memberFile;
  if (file.fault !== null)
    return (
      <p class="notice bad" role="alert">
        {fileFaultSentence(file.fault)}
      </p>
    );
  const { encoding } = chosenFile.value;
  const shown = lines.filter((line) => only.value === null || fits(line, only.value));
  return (
    <>
      <p class="facts">{encoding !== '' && say.readAs(encoding, say.separators[file.separator])}</p>
      {file.otherColumns.length > 0 && (
        <p class="notice warn" role="status">
          {say.otherColumns(file.otherColumns.join(', '))}
        </p>
      )}
      <Sending onDone={onAnother} />
      <div class="buttons">
        <button type="button" class="small" aria-pressed={only.value === null} onClick={() => (only.value = null)}>
          {say.all} <span class="tag">{lines.length}</span>
        </button>
        {FILTERS.map((filter) => (
          <button
            key={filter}
            type="button"
            class="small"
            aria-pressed={only.value === filter}
            onClick={() => (only.value = filter)}
          >
            {filter === 'doubtful' ? say.doubtful : say.kinds[filter]}{' '}
            <span class={`tag ${toneOf(filter)}`}>{counts.value.get(filter)}</span>
          </button>
        ))}
      </div>
      <div class="scrolled" role="region" aria-label={say.whatHappens} tabIndex={0}>
        <table class="lines-table">
          <thead>
            <tr>
              <th scope="col">{say.line}</th>
              <th scope="col">{say.column.name}</th>
              <th scope="col">{say.whatHappens}</th>
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, shownMax.value).map((line) => (
              <LineRow key={line.line} line={line} outcome={outcomes.value.get(line.line)} />
            ))}
          </tbody>
        </table>
      </div>
      <div class="more">
        <p class="facts">{words.forms.shown(Math.min(shown.length, shownMax.value), shown.length)}</p>
        {shown.length > shownMax.value && <Button word={words.forms.more} onClick={() => (shownMax.value += PAGE)} />}
      </div>
    </>
  );
}

function Sending({ onDone }: { onDone: () => void }) {
  const say = words.memberFile;
  const waiting = waitingLines.value.length;
  const done = [...outcomes.value.values()];
  const countOf = (what: Outcome['what']) => done.filter((each) => each.what === what).length;
  const wrong = memberLines.value.filter(({ kind }) => kind === 'wrong').length;
  const isBusy = importState.value !== 'idle';
  const all = done.length + waiting;
  const notice =
    done.length > 0 && waiting === 0 && !isBusy
      ? say.done({ made: countOf('made'), changed: countOf('changed'), refused: countOf('refused') })
      : '';
  return (
    <div class="sending">
      {(isBusy || (done.length > 0 && waiting > 0)) && (
        <div class="progress">
          <progress max={all} value={done.length} aria-label={say.title} />
          <p role="status">{importState.value === 'waiting' ? say.waiting : say.progress(done.length, all)}</p>
        </div>
      )}
      <Notice text={notice} />
      {waiting === 0 && done.length === 0 && <p class="notice">{say.nothing}</p>}
      <div class="buttons">
        {!isBusy && waiting > 0 && (
          <Button look="main" word={done.length === 0 ? say.import(waiting) : say.goOn(waiting)} onClick={runImport} />
        )}
        {isBusy && <Button word={say.stop} onClick={stopImport} />}
        {done.length > 0 && !isBusy && (
          <>
            <Button word={say.report} onClick={saveReport} />
            <Button
              word={say.another}
              onClick={() => {
                forgetFile();
                onDone();
              }}
            />
          </>
        )}
      </div>
      {wrong > 0 && <p class="fault">{say.leftOut(wrong)}</p>}
    </div>
  );
}

function saveReport(): void {
  const say = words.memberFile;
  const rows = memberLines.value.map((line) => {
    const outcome = outcomes.value.get(line.line);
    const word = outcome === undefined ? say.kinds[line.kind] : say.outcomes[outcome.what];
    return [line.line, line.name, word, [...sentencesOf(line, outcome), ...doubtsOf(line, outcome)].join(' ')];
  });
  saveFile('import-report.csv', csvFile([say.line, say.column.name, say.kinds.changed, say.whatHappens], rows));
}
