/** Renders the queue for a person at a shell. */
import { renderFacts, renderTable } from '../../shared/node/text-table.js';
import type { Lane } from '../../shared/uplink.js';
import { durationWords } from './duration-words.js';
import type { QueueView } from './queue.js';
import { cloudWords, megabytes } from './render-status.js';

const LANE_WORDS: Record<Lane, string> = { 0: 'decisions', 1: 'changes', 2: 'pictures' };

/** @param width of the terminal in cells; left out: any */
export function renderQueue({ cloud, acknowledged_ago_s, fault, lanes, records }: QueueView, width?: number): string[] {
  const lastAck = acknowledged_ago_s === null ? 'nothing since the start' : `${durationWords(acknowledged_ago_s)} ago`;
  const facts: [string, string][] = [
    ['cloud', cloudWords(cloud)],
    ['taken', lastAck],
  ];
  if (fault !== null) return renderFacts([...facts, ['queue', `unknown: ${fault}`]], width);
  const table = renderTable(
    ['lane', 'waiting', 'size', 'oldest', 'lost', 'what waits'],
    lanes.map((lane) => [
      LANE_WORDS[lane.lane],
      String(lane.rows),
      megabytes(lane.bytes),
      lane.rows === 0 ? '-' : ageWords(lane.oldest_age_s),
      lane.lost_rows === 0 ? '-' : `${lane.lost_rows}: THE DISK IS FULL`,
      kindWords(lane),
    ]),
    width,
  );
  if (records === undefined) return [...renderFacts(facts, width), '', ...table];
  const hasPlates = records.some(({ plate }) => plate !== null);
  const rows = records.map(({ lane, seq, kind, time, clock_ok, age_s, bytes, plate }) => [
    LANE_WORDS[lane],
    String(seq),
    kind,
    clock_ok ? time : `${time}?`,
    ageWords(age_s),
    `${bytes} B`,
    ...(hasPlates ? [plate ?? '-'] : []),
  ]);
  const head = ['lane', 'number', 'kind', 'time', 'waits', 'size', ...(hasPlates ? ['plate'] : [])];
  return [...renderFacts(facts, width), '', ...table, '', ...renderTable(head, rows, width)];
}

const ageWords = (seconds: number | null): string => (seconds === null ? 'not known' : durationWords(seconds));

function kindWords({ kinds, counted, rows }: QueueView['lanes'][number]): string {
  const named = Object.entries(kinds).map(([kind, count]) => `${count} ${kind}`);
  if (named.length === 0) return '-';
  return counted < rows ? `of the oldest ${counted}: ${named.join(', ')}` : named.join(', ');
}
