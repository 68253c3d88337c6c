// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type DrawnChart, drawChart, type Figure, rowsOf } from '../../src/views/chart.js';

const FIGURE: Figure = {
  data: [
    {
      parents: ['', 'all', 'all'],
      customdata: [
        ['all', '', ''],
        ['<b>Conv</b>', '4', '4 5'],
        ['runtime', '', ''],
      ],
    },
  ],
  layout: {
    meta: {
      light: { 'marker.colors': [['#fff']], 'marker.line.color': ['white'] },
      dark: { 'marker.colors': [['#000']], 'marker.line.color': ['black'] },
    },
  },
};

type Click = (event: { points: { id: string; customdata: unknown }[] }) => boolean;

let element: HTMLElement;
let click: Click;
let chart: DrawnChart;
const plotly = {
  newPlot: vi.fn().mockResolvedValue(undefined),
  update: vi.fn().mockResolvedValue(undefined),
  purge: vi.fn(),
  Plots: { resize: vi.fn().mockResolvedValue(undefined) },
};
const onSelect = vi.fn();

/** What the chart was last restyled with. */
const dress = () => plotly.update.mock.lastCall?.[1];

beforeEach(() => {
  vi.clearAllMocks();
  element = document.createElement('div');
  element.style.color = 'rgb(0, 0, 0)';
  document.body.append(element);
  Object.assign(element, {
    on: (_event: string, callback: Click) => {
      click = callback;
    },
  });
  chart = drawChart(plotly, element, FIGURE, onSelect);
});

afterEach(() => element.remove());

describe('a chart', () => {
  it('takes the colours of a page with dark ink, and of one with light ink', () => {
    expect(dress()).toMatchObject({ 'marker.colors': [['#fff']] });
    element.style.color = 'rgba(255, 255, 255, 0.87)';
    chart.refreshTheme();
    expect(dress()).toMatchObject({ 'marker.colors': [['#000']] });
    expect(plotly.update.mock.lastCall?.[2]).toMatchObject({ paper_bgcolor: 'rgba(0,0,0,0)' });
  });

  it('marks the tile of any node that ran in it', () => {
    expect(dress()['marker.line.width']).toEqual([[1, 1, 1]]);
    chart.mark([5, 77]);
    expect(dress()['marker.line.width']).toEqual([[1, 3, 1]]);
    expect(dress()['marker.line.color']).toEqual([['white', 'rgb(0, 0, 0)', 'white']]);
    chart.mark([]);
    expect(dress()['marker.line.width']).toEqual([[1, 1, 1]]);
  });

  it('tells which nodes a clicked tile stands for, and lets groups alone zoom', () => {
    expect(click({ points: [{ id: 'conv', customdata: ['Conv', '4', '4 5'] }] })).toBe(false);
    expect(click({ points: [{ id: 'rest', customdata: ['runtime', '', ''] }] })).toBe(false);
    expect(click({ points: [{ id: 'all', customdata: ['all', '', ''] }] })).toBe(true);
    expect(onSelect.mock.calls).toEqual([[[4, 5]]]);
  });

  it('leaves nothing behind', () => {
    chart.dispose();
    expect(plotly.purge).toHaveBeenCalledWith(element);
  });
});

it.each([
  [
    ['hover', '4', '4 5'],
    [4, 5],
  ],
  [['hover', '4', ''], []],
  [['hover'], []],
  [undefined, []],
])('%j means the rows %j', (customdata, rows) => {
  expect(rowsOf(customdata)).toEqual(rows);
});
