/** Members from a file: chosen or pasted, looked at line by line, then handed to the service, which imports them by itself. */
import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isDoubtful, type LineKind, type MemberLine } from '../members/decide-member-lines.js';
import { csvFile } from '../members/member-csv.js';
import { type FileFault, LINES_MAX, type MemberFile } from '../members/member-file-parser.js';
import { textOfFile } from '../members/text-of-file.js';
import { fileName } from '../wording/file-name.js';
import type { Refusal } from '../wording/sentences.js';
import { memberFileWords } from './member-file-words.js';
import { words } from './browser.js';
import { TextArea } from './fields.js';
import { saveFile } from './files.js';
import {
  beginImport,
  chooseFile,
  chosenFile,
  forgetFile,
  judgedBy,
  memberFile,
  memberLines,
  readJudges,
  sentAs,
  wantedLines,
} from './member-import.js';
import { LastImport } from './member-import-last.js';
import { columnName, LineRow, sentencesOf, toneOf } from './member-line-part.js';
import { memberWords } from './member-words.js';
import { Button, Empty, Refused } from './parts.js';
import { useSending } from './sending.js';
import { client, refusalOf } from './session.js';
import { useAgain } from './use-again.js';
import { useRead } from './use-read.js';

const MEGABYTES_MAX = 2;
const MEGABYTE = 1_048_576;

/** What is asked of the service while an import goes on. */
const AGAIN_MS = 1_000;

export function MemberImport() {
  const refusal = useSignal<Refusal | null>(null);
  const last = useRead('imports', async (signal) => {
    const [newest] = await client().get('/v2/member-imports', { query: { size: 1, sort: 'id:desc' }, signal });
    return newest ?? null;
  });
  const isRunning = last.found?.status === 'running';
  useAgain(last, isRunning ? AGAIN_MS : null);
  const read = async () => {
    try {
      await readJudges();
      refusal.value = null;
    } catch (error) {
      refusal.value = refusalOf(error);
    }
  };
  // What an import has written is there when the next file is judged.
  useEffect(() => void read(), [isRunning]);
  const begin = async () => {
    await beginImport();
    last.again();
  };
  const another = () => {
    forgetFile();
    void read();
  };
  return (
    <>
      <Refused refusal={last.refusal} onAgain={last.again} />
      {last.found && <LastImport shown={last.found} onChanged={last.again} />}
      <ChooseFile onAnother={another} />
      <Refused refusal={refusal.value} onAgain={() => void read()} />
      {judgedBy.value === null && refusal.value === null && <Empty>{memberFileWords.checking}</Empty>}
      {judgedBy.value !== null && memberFile.value !== null && (
        <DryRun isRunning={isRunning} begin={begin} onAnother={another} />
      )}
    </>
  );
}

function ChooseFile({ onAnother }: { onAnother: () => void }) {
  const fault = useSignal('');
  const say = memberFileWords;
  const { text, name } = chosenFile.value;
  const isSent = sentAs.value !== null;
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
        <label class="button main file">
          {say.choose}
          <input
            type="file"
            accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values"
            onChange={(event) => {
              void choose(event.currentTarget.files?.[0]);
              // The same file can be chosen again after it was mended.
              event.currentTarget.value = '';
            }}
          />
        </label>
        <Button word={say.template} onClick={template} />
        {text !== '' && <Button word={say.another} onClick={onAnother} />}
      </div>
      <p class={fault.value === '' ? 'hint' : 'fault'} role="status">
        {fault.value || name || say.chooseHint}
      </p>
      {!isSent && name === '' && (
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
  const { fileFaults } = memberFileWords;
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

function DryRun(props: { isRunning: boolean; begin: () => Promise<void>; onAnother: () => void }) {
  const only = useSignal<LineKind | 'doubtful' | null>(null);
  const shownMax = useSignal(PAGE);
  const lines = memberLines.value;
  const counts = useComputed(
    () => new Map(FILTERS.map((filter) => [filter, memberLines.value.filter((each) => fits(each, filter)).length])),
  );
  const file = memberFile.value;
  if (file === null) return null;
  const say = memberFileWords;
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
      <Columns file={file} />
      <Sending {...props} />
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
              <LineRow key={line.line} line={line} />
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

/** The columns of the file: those that are read, and those that are not. */
function Columns({ file }: { file: MemberFile }) {
  return (
    <>
      <p class="tags">
        {file.columns.map((column) => (
          <span key={column} class="tag">
            {columnName(column)}
          </span>
        ))}
        {file.otherColumns.map((column) => (
          <span key={column} class="tag warn">
            {memberWords.imports.notRead(column)}
          </span>
        ))}
      </p>
      {file.otherColumns.length > 0 && (
        <p class="notice warn" role="status">
          {memberFileWords.otherColumns(file.otherColumns.join(', '))}
        </p>
      )}
    </>
  );
}

function Sending({
  isRunning,
  begin,
  onAnother,
}: {
  isRunning: boolean;
  begin: () => Promise<void>;
  onAnother: () => void;
}) {
  const say = memberFileWords;
  const sending = useSending([]);
  const wanted = wantedLines.value.length;
  const wrong = memberLines.value.filter(({ kind }) => kind === 'wrong').length;
  const isSent = sentAs.value !== null;
  return (
    <div class="sending">
      {isSent && <p class="notice good">{memberWords.imports.sent(wanted)}</p>}
      {!isSent && wanted === 0 && <p class="notice">{say.nothing}</p>}
      {!isSent && wanted > 0 && isRunning && <p class="notice warn">{memberWords.imports.otherRuns}</p>}
      <div class="buttons">
        {!isSent && wanted > 0 && !isRunning && (
          <Button look="main" word={say.import(wanted)} isBusy={sending.isBusy} onClick={() => sending.send(begin)} />
        )}
        {wrong > 0 && <Button word={memberWords.imports.leftOutFile} onClick={saveLeftOut} />}
        {isSent && <Button word={say.another} onClick={onAnother} />}
      </div>
      <Refused refusal={sending.refusal} />
      {wrong > 0 && (
        <p class="notice warn" role="status">
          {say.leftOut(wrong)}
        </p>
      )}
    </div>
  );
}

/** The lines that cannot be imported, with why: they are mended in it, or in the file. */
function saveLeftOut(): void {
  const say = memberFileWords;
  const wrong = memberLines.value.filter(({ kind }) => kind === 'wrong');
  const rows = wrong.map((line) => [line.line, line.name, sentencesOf(line).join(' ')]);
  saveFile(
    fileName([memberWords.imports.leftOutName, chosenFile.value.name.replace(/\.\w+$/, '')], 'csv'),
    csvFile([say.line, say.column.name, say.whatHappens], rows),
  );
}
