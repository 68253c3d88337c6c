/** The chart widget's own script: a loader, as the graph's. Plotly comes once per page, the figure on request. */

import type { RenderProps } from '@anywidget/types';
import { drawChart, type Figure, type Plotly } from '../../views/chart.js';
import type { Comm } from './channel.js';
import { loadPlotly } from './once.js';
import { fetchOne, openPlace } from './place.js';
import { tellSelected } from './selection.js';
import { onThemeChange } from './theme.js';

interface State {
  _plotly: string;
  selected: number[];
  height: number;
}

interface Fetched {
  readonly plotly: Plotly;
  readonly figure: Figure;
}

function render({ model, el }: RenderProps<State>): () => void {
  const { element, close } = openPlace<Fetched>(model as Comm, el, {
    async fetch(channel) {
      const plotly = await loadPlotly(model.get('_plotly'), channel);
      const json = new TextDecoder().decode(await fetchOne(channel, 'figure'));
      return { plotly, figure: JSON.parse(json) as Figure };
    },
    draw(place, { plotly, figure }) {
      const chart = drawChart(plotly, place, figure, ([first]) => {
        if (first !== undefined) tellSelected(model, [first]);
      });
      const mark = () => chart.mark(model.get('selected'));
      mark();
      model.on('change:selected', mark);
      const stopWatching = onThemeChange(() => chart.refreshTheme());
      return () => {
        stopWatching();
        model.off('change:selected', mark);
        chart.dispose();
      };
    },
  });
  element.className = 'onnxlab-chart';
  element.style.height = `${model.get('height')}px`;
  element.style.marginBottom = '8px';
  element.style.color = 'var(--jp-ui-font-color0, inherit)';
  element.style.fontFamily = 'var(--jp-ui-font-family, inherit)';
  return close;
}

export default { render };
