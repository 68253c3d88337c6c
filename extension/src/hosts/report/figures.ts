/** Plotly figures: the page holds them as JSON, the bundle draws them in the page's colours. */

import { type DrawnChart, drawChart, type Figure } from '../../views/chart.js';

/** Draw every figure into the element that its `data-target` names; `onSelect` gets the rows of a clicked tile. */
export function drawFigures(onSelect: (rows: number[]) => void): DrawnChart[] {
  const plotly = globalThis.onnxlabPlotly;
  if (!plotly) return [];
  const system = matchMedia('(prefers-color-scheme: dark)');
  const charts: DrawnChart[] = [];
  for (const script of document.querySelectorAll<HTMLElement>('script.onnxlab-figure')) {
    const element = document.getElementById(script.dataset.target ?? '');
    if (!element) continue;
    const figure = JSON.parse(script.textContent ?? '{}') as Figure;
    const chart = drawChart(plotly, element, figure, onSelect);
    system.addEventListener('change', () => chart.refreshTheme());
    charts.push(chart);
  }
  return charts;
}
