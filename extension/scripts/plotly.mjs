// The charts that onnxlab draws and nothing else of plotly.js, as the global `onnxlabPlotly`: a page may have a
// `Plotly` of its own.
import bar from 'plotly.js/lib/bar';
import box from 'plotly.js/lib/box';
import Plotly from 'plotly.js/lib/core';
import heatmap from 'plotly.js/lib/heatmap';
import icicle from 'plotly.js/lib/icicle';
import scatter from 'plotly.js/lib/scatter';
import treemap from 'plotly.js/lib/treemap';

Plotly.register([bar, box, heatmap, icicle, scatter, treemap]);

globalThis.onnxlabPlotly = Plotly;
