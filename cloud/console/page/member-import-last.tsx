/** The last import of the account, as the service has it: how far it is, what it refused, and the button that ends it. */
import { csvFile } from '../members/member-csv.js';
import { fileName } from '../wording/file-name.js';
import { serviceSentence } from '../wording/service-sentences.js';
import { memberFileWords } from './member-file-words.js';
import { paperTimeOf, timeOf, words } from './browser.js';
import { AskButton, Listed } from './admin-parts.js';
import { saveFile } from './files.js';
import { useLongList } from './long-list.js';
import type { Import, ImportLine } from './member-import.js';
import { memberWords } from './member-words.js';
import { Button, joined, Notice, Refused } from './parts.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import { all } from './store.js';

const say = memberWords.imports;
const PAGE = 300;

/** How many lines were dealt with. */
const doneOf = ({ made_count, changed_count, refused_count }: Import): number =>
  made_count + changed_count + refused_count;

const countsOf = ({ made_count: made, changed_count: changed, refused_count: refused }: Import): string =>
  memberFileWords.done({ made, changed, refused });

const reasonOf = ({ errors }: ImportLine): string =>
  errors.map(({ field, message }) => joined([field, serviceSentence(message, words.forms.service)])).join(' ');

const linesOf = (id: number, filter: string[] = []) =>
  client().list('/v2/member-imports/{id}/lines', { path: { id }, query: { filter, sort: 'line:asc', size: PAGE } });

const TONES = { running: '', done: 'good', cancelled: 'warn', stopped: 'bad' } as const;

/** @param props.onChanged reads it again */
export function LastImport({ shown, onChanged }: { shown: Import; onChanged: () => void }) {
  const { id, status, file_name, begun_by, lines_count, refused_count, created_at, ended_at } = shown;
  const isRunning = status === 'running';
  const cancel = async () => {
    await client().post('/v2/member-imports/{id}/cancel', { path: { id } });
    onChanged();
  };
  return (
    <section class="card sending" aria-label={say.last}>
      <div class="line">
        <strong>{file_name || say.unnamed}</strong> <span class={`tag ${TONES[status]}`}>{say.statuses[status]}</span>{' '}
        <span class="facts">
          {joined([say.begun(begun_by, timeOf(created_at)), ended_at !== null && say.ended(timeOf(ended_at))])}
        </span>
      </div>
      {isRunning && (
        <div class="progress">
          <progress max={lines_count} value={doneOf(shown)} aria-label={memberFileWords.title} />
          <p role="status">{joined([memberFileWords.progress(doneOf(shown), lines_count), say.goesOn])}</p>
        </div>
      )}
      <Notice text={isRunning ? '' : countsOf(shown)} />
      {status === 'stopped' && <p class="notice bad">{say.stoppedWhy}</p>}
      {!isRunning && doneOf(shown) < lines_count && (
        <p class="notice warn">{say.leftOut(lines_count - doneOf(shown))}</p>
      )}
      {refused_count > 0 && <RefusedLines id={id} count={refused_count} />}
      <div class="buttons">
        {!isRunning && <ReportButton shown={shown} />}
        {isRunning && (
          <AskButton
            label={say.cancel}
            about={file_name || say.unnamed}
            title={say.cancelTitle}
            what={say.cancelWhat}
            call={{ method: 'POST', path: `/v2/member-imports/${id}/cancel`, body: {} }}
            onYes={cancel}
          />
        )}
      </div>
    </section>
  );
}

/** @param props.count how many there are: it is read again when there are more */
function RefusedLines({ id, count }: { id: number; count: number }) {
  const list = useLongList<ImportLine>(`refused ${id} ${count}`, ({ page, size }, signal) =>
    client().get('/v2/member-imports/{id}/lines', {
      path: { id },
      query: { filter: ['status:eq:refused'], sort: 'line:asc', page, size },
      signal,
    }),
  );
  return (
    <>
      <h3>{say.refused}</h3>
      <Listed
        list={list}
        class="refused-lines"
        row={(line) => (
          <li key={line.id}>
            {joined([`${memberFileWords.line} ${line.line}`, line.name])}: {reasonOf(line)}
          </li>
        )}
      />
    </>
  );
}

/** Every line that was sent, with what became of it. */
function ReportButton({ shown: { id, file_name, created_at } }: { shown: Import }) {
  const reading = useSending([]);
  const save = async () => {
    const lines = await all(linesOf(id));
    const rows = lines.map((line) => [
      line.line,
      line.name,
      say.lineStatuses[line.status],
      line.member_id,
      reasonOf(line),
    ]);
    const header = [
      memberFileWords.line,
      memberFileWords.column.name,
      words.forms.status,
      memberFileWords.column.id,
      memberFileWords.whatHappens,
    ];
    saveFile(
      fileName([say.reportFile, file_name.replace(/\.\w+$/, ''), paperTimeOf(created_at)], 'csv'),
      csvFile(header, rows),
    );
  };
  return (
    <>
      <Button word={say.report} isBusy={reading.isBusy} onClick={() => reading.send(save)} />
      <Refused refusal={reading.refusal} />
    </>
  );
}
