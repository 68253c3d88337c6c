/** Plotly figures: the page holds them as JSON, the bundle draws them in the page's colours. */

interface Figure {
  data: object[];
  /** `meta` may hold what to restyle the traces with in a light and in a dark page. */
  layout?: { meta?: { light?: object; dark?: object } };
}

interface PlotlyElement extends HTMLElement {
  on(event: 'plotly_click', callback: (event: ClickEvent) => void): void;
}

interface ClickEvent {
  points: { customdata?: unknown }[];
}

interface Plotly {
  newPlot(element: HTMLElement, data: object[], layout: object, config: object): Promise<unknown>;
  relayout(element: HTMLElement, layout: object): Promise<unknown>;
  restyle(element: HTMLElement, update: object): Promise<unknown>;
}

declare global {
  var Plotly: Plotly | undefined;
}

const CONFIG = { displaylogo: false, displayModeBar: false, responsive: true };

/** Draw every figure into the element that its `data-target` names; `onClick` gets a point's `customdata`. */
export function drawFigures(onClick: (customdata: unknown) => void): void {
  const plotly = globalThis.Plotly;
  if (!plotly) return;
  const system = matchMedia('(prefers-color-scheme: dark)');
  for (const script of document.querySelectorAll<HTMLElement>('script.onnxlab-figure')) {
    const element = document.getElementById(script.dataset.target ?? '');
    if (!element) continue;
    const { data, layout = {} } = JSON.parse(script.textContent ?? '{}') as Figure;
    void plotly.newPlot(element, data, layout, CONFIG);
    const dress = () => {
      const own = system.matches ? layout.meta?.dark : layout.meta?.light;
      if (own) void plotly.restyle(element, own);
      void plotly.relayout(element, pageColours(element));
    };
    dress();
    (element as PlotlyElement).on('plotly_click', ({ points }) => onClick(points[0]?.customdata));
    system.addEventListener('change', dress);
  }
}

function pageColours(element: HTMLElement): object {
  const { color, fontFamily } = getComputedStyle(element);
  return {
    paper_bgcolor: 'rgba(0,0,0,0)',
    plot_bgcolor: 'rgba(0,0,0,0)',
    'font.color': color,
    'font.family': fontFamily,
  };
}
