/**
 * A treemap in the page's colours, one of the views of a selection: a tile's `customdata` is a list whose third part
 * names the node rows that the tile stands for, in words and the one to select first.
 */

import { parseColour, type Rgb } from '../core/colour.js';

/** By the name of a plotly attribute: a value for each trace. */
type Dress = Readonly<Record<string, readonly unknown[]>>;

interface Trace {
  readonly customdata?: readonly unknown[];
  readonly parents?: readonly string[];
}

export interface Figure {
  readonly data: readonly Trace[];
  /** `meta` may hold what to restyle the traces with in a light and in a dark page. */
  readonly layout?: { readonly meta?: { readonly light?: Dress; readonly dark?: Dress } };
}

interface PlotlyElement extends HTMLElement {
  /** What the callback returns is whether plotly goes on to zoom. */
  on(event: 'plotly_treemapclick', callback: (event: ClickEvent) => boolean): void;
}

interface ClickEvent {
  readonly points: readonly { readonly id?: string; readonly customdata?: unknown }[];
}

/** The part of plotly.js that draws. */
export interface Plotly {
  newPlot(element: HTMLElement, data: object, layout: object, config: object): Promise<unknown>;
  update(element: HTMLElement, traces: object, layout: object): Promise<unknown>;
  purge(element: HTMLElement): void;
  readonly Plots: { resize(element: HTMLElement): Promise<unknown> };
}

declare global {
  /** What the plotly bundle sets; not `Plotly`, which may be the page's own. */
  var onnxlabPlotly: Plotly | undefined;
}

export interface DrawnChart {
  /** Mark the tiles of these node rows. */
  mark(rows: readonly number[]): void;
  /** Read colours again after the host's theme changed. */
  refreshTheme(): void;
  dispose(): void;
}

const CONFIG = { displaylogo: false, displayModeBar: false };
const MARK_PX = 3;
const BLACK: Rgb = [0, 0, 0];

/** Draw a figure; `onSelect` gets the rows of a tile that is clicked. */
export function drawChart(
  plotly: Plotly,
  element: HTMLElement,
  figure: Figure,
  onSelect: (rows: number[]) => void,
): DrawnChart {
  const { data, layout = {} } = figure;
  let marked: ReadonlySet<number> = new Set();
  const paint = () => {
    const page = getComputedStyle(element);
    const dress = layout.meta?.[isLight(page.color) ? 'dark' : 'light'] ?? {};
    const traces = { ...dress, ...outlines(data, dress, marked, page.color) };
    void plotly.update(element, traces, pageColours(page));
  };
  void plotly.newPlot(element, data, layout, CONFIG);
  paint();
  const groups = new Set(data.flatMap(({ parents = [] }) => parents));
  (element as PlotlyElement).on('plotly_treemapclick', ({ points }) => {
    const [tile] = points;
    const rows = rowsOf(tile?.customdata);
    if (rows.length > 0) onSelect(rows);
    return groups.has(tile?.id ?? ''); // a tile with none inside would fill the map
  });
  let { clientWidth: width } = element;
  const sizeObserver = new ResizeObserver(() => {
    if (element.clientWidth === 0 || element.clientWidth === width) return;
    width = element.clientWidth;
    void plotly.Plots.resize(element);
  });
  sizeObserver.observe(element);
  return {
    mark(rows) {
      marked = new Set(rows);
      paint();
    },
    refreshTheme: paint,
    dispose() {
      sizeObserver.disconnect();
      plotly.purge(element);
    },
  };
}

/** The node rows that a tile stands for. */
export function rowsOf(customdata: unknown): number[] {
  const words: unknown = Array.isArray(customdata) ? customdata[2] : undefined;
  return typeof words === 'string' ? words.split(' ').filter(Boolean).map(Number) : [];
}

/** The lines around tiles, those of marked nodes in the page's ink. */
function outlines(
  data: readonly Trace[],
  dress: Dress,
  marked: ReadonlySet<number>,
  ink: string,
): Dress {
  const plain = dress['marker.line.color'];
  if (!plain) return {};
  const isMarked = data.map(({ customdata = [] }) =>
    customdata.map((tile) => rowsOf(tile).some((row) => marked.has(row))),
  );
  return {
    'marker.line.color': isMarked.map((tiles, i) => tiles.map((is) => (is ? ink : plain[i]))),
    'marker.line.width': isMarked.map((tiles) => tiles.map((is) => (is ? MARK_PX : 1))),
  };
}

function pageColours({ color, fontFamily }: CSSStyleDeclaration): object {
  return {
    paper_bgcolor: 'rgba(0,0,0,0)',
    plot_bgcolor: 'rgba(0,0,0,0)',
    'font.color': color,
    'font.family': fontFamily,
  };
}

/** Light ink means a dark page. */
function isLight(colour: string): boolean {
  const [r, g, b] = parseColour(colour, BLACK);
  return 0.299 * r + 0.587 * g + 0.114 * b > 128;
}
