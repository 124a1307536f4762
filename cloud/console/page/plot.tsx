/**
 * A plot with a crosshair, drawn by uPlot. It is fetched when the first plot is shown: whoever only opens gates does not wait for it.
 * Who does not see the plot has the same numbers in a table, and moves the crosshair by keys, which tells its values.
 */
import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { theme, words } from './browser.js';
import { ColumnHeads } from './parts.js';

export interface PlotSeries {
  name: string;
  values: readonly (number | null)[];
  /** `bars`, beside each other when there are two; `steps` hold their value back to the point before. */
  as: 'bars' | 'line' | 'steps' | 'limit';
  /** Of the palette in plots.css. */
  tone: 1 | 2 | 3;
  /** What was earlier, or is not yet: drawn behind the others, with dashes. */
  isDashed?: boolean;
}

export interface PlotData {
  /** Where the points are along the plot. */
  xs: readonly number[];
  series: readonly PlotSeries[];
  /** Between what the first series moved. */
  span?: { low: readonly (number | null)[]; high: readonly (number | null)[] } | undefined;
}

export interface PlotProps {
  title: string;
  /** A new object means: draw anew. */
  data: PlotData;
  /** The place of the point that the crosshair is at; plots that share it move together. */
  crosshair: Signal<number | null>;
  /** What a point is called: `Tue 3 November`. */
  nameOf: (at: number) => string;
  /** Which points have a mark below, when there is room for so many. */
  marksFor: (most: number) => readonly number[];
  markOf: (at: number) => string;
  /** A value as it is told. */
  format: (value: number) => string;
  /** A value on the axis, when it is to be shorter. */
  formatShort?: (value: number) => string;
  /** By which amounts the axis may be cut; left out: decimal ones. */
  cuts?: readonly number[];
  /** A range was drawn with the pointer or chosen by keys; both ends are in it. */
  onRange?: (from: number, to: number) => void;
  /** The points that keys and the table go through, in order; left out: all. */
  stops?: readonly number[];
  /** The head of the table's first column. */
  pointName: string;
}

/** Room for a mark below the plot, in widths of the letter m. */
const MARK_EM = 4.6;
const HEIGHT_EM = 13;
const AXIS_EM = 4.2;
/** Above the highest value, so that it is seen where it ends. */
const HEADROOM = 1.08;

export function Plot(props: PlotProps) {
  const { title, data, crosshair, nameOf, onRange } = props;
  const { box, drawn, isMissing } = useDrawing(props);
  const anchor = useSignal<number | null>(null);
  const id = useId();

  const count = data.xs.length;
  const at = crosshair.value === null || crosshair.value >= count ? null : crosshair.value;
  const select = (from: number | null, to: number) => {
    anchor.value = from;
    showSelection(drawn.current, from, to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOf(event.key, count);
    if (step !== undefined) {
      const next = stopAfter(props.stops ?? data.xs.map((_, each) => each), at, step);
      crosshair.value = next;
      select(event.shiftKey && onRange !== undefined ? (anchor.value ?? at ?? next) : null, next);
    } else if (event.key === 'Enter' && anchor.value !== null && at !== null) {
      onRange?.(Math.min(anchor.value, at), Math.max(anchor.value, at));
      select(null, 0);
    } else if (event.key === 'Escape') {
      crosshair.value = null;
      select(null, 0);
    } else return;
    event.preventDefault();
  };
  // A finger that moves along the plot moves the crosshair; up and down it scrolls the page.
  const onPointerMove = (event: PointerEvent) => {
    const { current: plot } = drawn;
    if (event.pointerType === 'mouse' || plot === null) return;
    crosshair.value = plot.posToIdx(event.clientX - plot.over.getBoundingClientRect().left);
  };
  return (
    <figure class="card plot" aria-labelledby={`${id}-title`}>
      <div class="head">
        <h2 id={`${id}-title`}>{title}</h2>
        <span class="where" aria-hidden="true">
          {at === null ? '' : nameOf(at)}
        </span>
      </div>
      <Legend {...props} at={at} />
      {isMissing.value && <p class="notice">{words.plots.missing}</p>}
      <div
        ref={box}
        class="canvas"
        tabIndex={0}
        role="slider"
        aria-label={title}
        aria-describedby={`${id}-keys`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, count - 1)}
        aria-valuenow={at ?? 0}
        aria-valuetext={at === null ? words.plots.points(count) : `${nameOf(at)}: ${textAt(props, at)}`}
        onKeyDown={onKeyDown}
        onPointerMove={onPointerMove}
        onBlur={() => select(null, 0)}
      />
      <p id={`${id}-keys`} class="hidden">
        {onRange === undefined ? words.plots.keys : words.plots.keysRange}
      </p>
      <PointTable {...props} />
    </figure>
  );
}

/** Draws into the box, anew for each data. */
function useDrawing(props: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const isMissing = useSignal(false);
  useEffect(() => {
    let isOver = false;
    let stop = () => {};
    const begin = async () => {
      try {
        const { default: Drawing } = await import('uplot');
        if (isOver || box.current === null) return;
        stop = draw(Drawing, box.current, latest, drawn);
        isMissing.value = false;
      } catch {
        // The network is gone, or the service has a newer build: the table is there.
        if (!isOver) isMissing.value = true;
      }
    };
    void begin();
    return () => {
      isOver = true;
      stop();
      drawn.current = null;
    };
  }, [props.data]);
  return { box, drawn, isMissing };
}

/** How many stops further a key leads; undefined: it is none of these. */
const stepOf = (key: string, count: number): number | undefined =>
  new Map([
    ['ArrowLeft', -1],
    ['ArrowRight', 1],
    ['PageUp', -7],
    ['PageDown', 7],
    ['Home', -count],
    ['End', count],
  ]).get(key);

/** The stop that lies so many further. */
function stopAfter(stops: readonly number[], at: number | null, step: number): number {
  const beyond =
    step > 0 ? stops.filter((each) => at === null || each > at) : stops.filter((each) => at === null || each < at);
  const place = step > 0 ? Math.min(step, beyond.length) - 1 : Math.max(0, beyond.length + step);
  return beyond[place] ?? at ?? 0;
}

const textAt = ({ data, format }: PlotProps, at: number): string =>
  data.series
    .map(({ name, values }) => [name, values[at]] as const)
    .filter((entry): entry is readonly [string, number] => typeof entry[1] === 'number')
    .map(([name, value]) => `${name} ${format(value)}`)
    .join(', ');

/** What is drawn, and at the crosshair how much of it. */
function Legend({ data, format, at }: PlotProps & { at: number | null }) {
  return (
    <p class="legend" aria-hidden="true">
      {data.series.map(({ name, values, tone, isDashed = false, as }) => {
        const value = at === null ? null : values[at];
        return (
          <span key={name} class={`key tone-${tone} ${isDashed || as === 'limit' ? 'dashed' : as}`}>
            {name} <strong>{typeof value === 'number' ? format(value) : ''}</strong>
          </span>
        );
      })}
    </p>
  );
}

/** The numbers of the plot. It is filled when it is opened: most never are. */
function PointTable({ title, data, format, nameOf, pointName, stops }: PlotProps) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary aria-label={words.plots.tableOf(title)}>{words.plots.table}</summary>
      {isOpen.value && (
        <div class="scroll" tabIndex={0} role="region" aria-label={words.plots.tableOf(title)}>
          <table>
            <thead>
              <tr>
                <th scope="col">{pointName}</th>
                <ColumnHeads names={data.series.map(({ name }) => name)} />
              </tr>
            </thead>
            <tbody>
              {(stops ?? data.xs.map((_, at) => at)).map((at) => (
                <tr key={at}>
                  <th scope="row">{nameOf(at)}</th>
                  {data.series.map(({ name, values }) => {
                    const value = values[at];
                    return <td key={name}>{typeof value === 'number' ? format(value) : '–'}</td>;
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

function showSelection(plot: uPlot | null, from: number | null, to: number): void {
  if (plot === null) return;
  const xs = plot.data[0];
  const [left, right] = from === null ? [0, 0] : edgesOf(xs, Math.min(from, to), Math.max(from, to));
  const [start, end] = from === null ? [0, 0] : [plot.valToPos(left, 'x'), plot.valToPos(right, 'x')];
  plot.setSelect(
    { left: start, top: 0, width: end - start, height: from === null ? 0 : plot.over.clientHeight },
    false,
  );
}

/** Half a point to either side, so that whole bars are chosen. */
function edgesOf(xs: ArrayLike<number>, from: number, to: number): [number, number] {
  const half = ((xs[1] ?? 1) - (xs[0] ?? 0)) / 2;
  return [(xs[from] ?? 0) - half, (xs[to] ?? 0) + half];
}

/** @returns what ends the drawing */
function draw(
  Drawing: typeof uPlot,
  box: HTMLElement,
  latest: { readonly current: PlotProps },
  drawn: { current: uPlot | null },
): () => void {
  const { data, crosshair } = latest.current;
  const plot = new Drawing(optionsOf(Drawing, box, latest), alignedData(data), box);
  drawn.current = plot;
  const resize = new ResizeObserver(() => {
    if (box.clientWidth > 0) plot.setSize({ width: box.clientWidth, height: HEIGHT_EM * emOf(box) });
  });
  resize.observe(box);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const redraw = () => plot.redraw();
  scheme.addEventListener('change', redraw);
  const follows = [theme.subscribe(redraw), followCrosshair(plot, crosshair)];
  return () => {
    resize.disconnect();
    scheme.removeEventListener('change', redraw);
    for (const end of follows) end();
    plot.destroy();
  };
}

function followCrosshair(plot: uPlot, crosshair: ReadonlySignal<number | null>): () => void {
  return crosshair.subscribe((at) => {
    const x = at === null ? undefined : plot.data[0][at];
    if (plot.cursor.idx === at) return;
    const left = x === undefined ? -10 : plot.valToPos(x, 'x');
    plot.setCursor({ left, top: x === undefined ? -10 : 0 }, false);
  });
}

function alignedData({ xs, series, span }: PlotData): uPlot.AlignedData {
  const columns = [...(span === undefined ? [] : [span.high, span.low]), ...series.map(({ values }) => values)];
  return [[...xs], ...columns.map((column) => [...column])];
}

const emOf = (box: HTMLElement): number => Number.parseFloat(getComputedStyle(box).fontSize);

function optionsOf(Drawing: typeof uPlot, box: HTMLElement, latest: { readonly current: PlotProps }): uPlot.Options {
  const { data, format, formatShort = format, cuts, crosshair, onRange } = latest.current;
  const em = emOf(box);
  const font = `${0.78 * em}px ${getComputedStyle(box).fontFamily}`;
  const colour = (name: string) => () => getComputedStyle(box).getPropertyValue(name).trim();
  const last = data.xs.length - 1;
  // Bars need half their room before the first and after the last; lines beside them keep the same places.
  const isCurve = data.series.some(({ as }) => as === 'steps');
  const axis = { stroke: colour('--soft'), font, grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
  const edge: uPlot.Series = { points: { show: false }, width: 0, stroke: colour('--plot-1') };
  return {
    width: box.clientWidth,
    height: HEIGHT_EM * em,
    padding: [em * 0.6, em * 1.4, 0, 0],
    legend: { show: false },
    focus: { alpha: 1 },
    cursor: {
      y: false,
      points: { size: 9 },
      drag: { x: onRange !== undefined, y: false, setScale: false, dist: 8 },
    },
    scales: {
      x: {
        time: false,
        range: () => (isCurve ? [data.xs[0] ?? 0, data.xs[last] ?? 1] : edgesOf(data.xs, 0, last)),
      },
      y: { range: (_, _least, most) => [0, (most ?? 0) > 0 ? (most ?? 1) * HEADROOM : 1] },
    },
    axes: [
      {
        ...axis,
        size: 1.9 * em,
        gap: 0.4 * em,
        grid: { show: false },
        splits: (u) => latest.current.marksFor(u.over.clientWidth / (MARK_EM * em)).map((at) => data.xs[at] ?? 0),
        values: (_, splits) => splits.map((x) => latest.current.markOf(data.xs.indexOf(x))),
      },
      {
        ...axis,
        size: AXIS_EM * em,
        gap: 0.5 * em,
        space: 2.6 * em,
        ...(cuts === undefined ? {} : { incrs: [...cuts] }),
        values: (_, splits) => splits.map(formatShort),
      },
    ],
    series: [
      {},
      ...(data.span === undefined ? [] : [edge, edge]),
      ...data.series.map((series) => seriesOf(Drawing, series, { colour, all: data.series })),
    ],
    ...(data.span === undefined ? {} : { bands: [{ series: [1, 2], fill: colour('--plot-span') }] }),
    hooks: {
      setCursor: [
        (u) => {
          // What the pointer does here; what another plot's does comes by the crosshair.
          if (u.cursor.event !== undefined) crosshair.value = u.cursor.idx ?? null;
        },
      ],
      setSelect: [
        (u) => {
          const { left, width } = u.select;
          if (width < 1) return;
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          latest.current.onRange?.(u.posToIdx(left), u.posToIdx(left + width));
        },
      ],
    },
  };
}

function seriesOf(
  Drawing: typeof uPlot,
  { as, tone, isDashed = false }: PlotSeries,
  { colour, all }: { colour: (name: string) => () => string; all: readonly PlotSeries[] },
): uPlot.Series {
  const stroke = colour(`--plot-${tone}`);
  const { bars, stepped, linear } = Drawing.paths;
  const bare = { points: { show: false }, stroke };
  if (as === 'bars') {
    const shown = all.filter((each) => each.as === 'bars').map((each) => each.tone);
    const align = shown.length < 2 ? 0 : shown.indexOf(tone) === 0 ? -1 : 1;
    const paths = bars?.({ size: [shown.length < 2 ? 0.7 : 0.38, 60], align, radius: 0.15 });
    return { ...bare, fill: stroke, width: 0, ...(paths === undefined ? {} : { paths }) };
  }
  const dash = as === 'limit' ? [2, 4] : isDashed ? [6, 4] : [];
  const paths = as === 'steps' ? stepped?.({ align: -1 }) : linear?.();
  return { ...bare, width: isDashed || as === 'limit' ? 1.5 : 2, dash, ...(paths === undefined ? {} : { paths }) };
}
